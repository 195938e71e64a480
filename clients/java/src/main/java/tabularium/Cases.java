package tabularium;

import com.azure.data.tables.TableClient;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** What the suite runs, in the order it was added. */
final class Cases {
    interface Body {
        void run() throws Exception;
    }

    interface TableBody {
        void run(TableClient table) throws Exception;
    }

    private record Case(String name, Body body) {}

    private final List<Case> cases = new ArrayList<>();

    void add(String name, Body body) {
        cases.add(new Case(name, body));
    }

    /** A case with an empty table of its own, which is gone afterwards. */
    void onTable(String name, TableBody body) {
        add(name, () -> {
            TableClient table = Account.createTable();
            try {
                body.run(table);
            } finally {
                table.deleteTable();
            }
        });
    }

    /** Runs them one after the other; true when all of them passed and they are as many as stated. */
    boolean run(int stated, PrintStream out, PrintStream details) {
        int passed = 0;
        int failed = 0;
        for (Case each : cases) {
            try {
                each.body.run();
                passed++;
                out.println("ok " + each.name);
            } catch (Throwable reason) {
                failed++;
                out.println("not ok "
                        + each.name
                        + ": "
                        + reason.toString().lines().findFirst().orElse(""));
                details.println(each.name);
                reason.printStackTrace(details);
            }
        }
        if (cases.size() < stated) {
            failed++;
            out.println("not ok the suite has all of its cases: " + stated + " are stated, it has " + cases.size());
        }
        out.println("cases: " + passed + " passed, " + failed + " failed");
        return failed == 0;
    }
}
