package tabularium;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * Drives a server through the official Java client: one line a case on standard output, exit code 1
 * for a failure.
 */
public final class Main {
    /** Fewer cases than these are a failure. */
    private static final int CASES_STATED = 225;

    private Main() {}

    public static void main(String[] arguments) {
        Cases cases = new Cases();
        Tables.add(cases);
        Types.add(cases);
        Limits.add(cases);
        Keys.add(cases);
        Writes.add(cases);
        Transactions.add(cases);
        Queries.add(cases);
        Paging.add(cases);
        TableSas.add(cases);
        AccountSas.add(cases);
        AccessPolicies.add(cases);
        Service.add(cases);

        // Maven has its own idea of System.out; the lines go to the descriptor itself.
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        boolean isClean = cases.run(CASES_STATED, out, System.err);
        // The client's connections have threads of their own, and nothing closes them.
        System.exit(isClean ? 0 : 1);
    }
}
