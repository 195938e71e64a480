package tabularium;

import com.azure.core.exception.HttpResponseException;
import com.azure.data.tables.TableClient;
import com.azure.data.tables.models.TableServiceException;
import com.azure.data.tables.models.TableTransactionAction;
import com.azure.data.tables.models.TableTransactionFailedException;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the cases demand. */
final class Check {
    /** The code in the body of a refusal, JSON or XML, which the client puts into its message. */
    private static final Pattern CODE = Pattern.compile("\"code\":\"(\\w+)\"|<(?:m:)?code>(\\w+)<");

    private Check() {}

    static void that(boolean isSo, String what) {
        if (!isSo) {
            throw new AssertionError(what);
        }
    }

    static void equal(Object expected, Object actual, String what) {
        that(Objects.deepEquals(expected, actual), what + " is " + text(actual) + ", expected " + text(expected));
    }

    /** The code is a regular expression: where the service's choice is not known, there may be two. */
    static void refused(int status, String code, Cases.Body body) throws Exception {
        try {
            body.run();
        } catch (HttpResponseException refusal) {
            matches(status + " (" + code + ")", refusal.getResponse().getStatusCode() + " " + codeOf(refusal));
            return;
        }
        throw new AssertionError("accepted, expected " + status + " " + code);
    }

    /** The client knows the code and the index of the action that failed; it does not keep the status. */
    static void refused(int index, String code, TableClient table, List<TableTransactionAction> actions) {
        try {
            table.submitTransaction(actions);
        } catch (TableTransactionFailedException refusal) {
            matches(index + " (" + code + ")", refusal.getFailedTransactionActionIndex() + " " + codeOf(refusal));
            return;
        }
        throw new AssertionError("accepted, expected " + code + " at " + index);
    }

    private static void matches(String expected, String actual) {
        that(actual.matches(expected), "the refusal is " + actual + ", expected " + expected);
    }

    private static String codeOf(HttpResponseException refusal) {
        if (refusal instanceof TableServiceException known
                && known.getValue() != null
                && known.getValue().getErrorCode() != null) {
            return known.getValue().getErrorCode().toString();
        }
        // The client has no type for codes in XML, nor for those of a page that is fetched later.
        Matcher match = CODE.matcher(refusal.getMessage());
        if (!match.find()) {
            return "without a code: " + refusal.getMessage();
        }
        return match.group(1) != null ? match.group(1) : match.group(2);
    }

    private static String text(Object value) {
        if (value instanceof byte[] bytes) {
            return bytes.length > 64 ? bytes.length + " bytes" : Arrays.toString(bytes);
        }
        String text = value == null ? "null" : value + " (" + value.getClass().getSimpleName() + ")";
        return text.length() > 300 ? text.substring(0, 300) + "..." : text;
    }
}
