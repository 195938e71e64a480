package tabularium;

import com.azure.core.credential.AzureNamedKeyCredential;
import com.azure.core.http.policy.FixedDelayOptions;
import com.azure.core.http.policy.RetryOptions;
import com.azure.core.http.policy.RetryPolicy;
import com.azure.data.tables.TableAsyncClient;
import com.azure.data.tables.TableClient;
import com.azure.data.tables.TableClientBuilder;
import com.azure.data.tables.TableServiceClient;
import com.azure.data.tables.TableServiceClientBuilder;
import java.time.Duration;
import java.util.UUID;

/** The account that the suite runs against, and clients of it. None of them tries anything twice. */
final class Account {
    static final String CONNECTION_STRING = variable("TABULARIUM_CONNECTION_STRING");
    static final String ENDPOINT = variable("TABULARIUM_TABLE_ENDPOINT");
    static final String SECONDARY_ENDPOINT = variable("TABULARIUM_TABLE_SECONDARY_ENDPOINT");
    static final String NAME = variable("TABULARIUM_ACCOUNT_NAME");
    static final AzureNamedKeyCredential KEY = new AzureNamedKeyCredential(NAME, variable("TABULARIUM_ACCOUNT_KEY"));
    static final TableServiceClient SERVICE =
            service().connectionString(CONNECTION_STRING).buildClient();
    static final TableServiceClient SECONDARY = keyed(SECONDARY_ENDPOINT, KEY);

    /** With a key of the right form that the account does not have. */
    static final TableServiceClient WRONG = keyed(
            ENDPOINT,
            new AzureNamedKeyCredential(NAME, "bm90IHRoZSBrZXkgb2YgdGhpcyBhY2NvdW50LCBvciBvZiBhbnkgb3RoZXI="));

    private Account() {}

    static TableServiceClientBuilder service() {
        return new TableServiceClientBuilder().retryPolicy(once());
    }

    /** The same table in a client of its own. */
    static TableClient another(TableClient table) {
        return keyed(ENDPOINT, KEY).getTableClient(table.getTableName());
    }

    static TableAsyncClient asynchronous(TableClient table) {
        return service().connectionString(CONNECTION_STRING).buildAsyncClient().getTableClient(table.getTableName());
    }

    /** The account with nothing but a signature. */
    static TableServiceClient signed(String endpoint, String sas) {
        return service().endpoint(endpoint).sasToken(sas).buildClient();
    }

    /** A table with nothing but a signature. */
    static TableClient table(String name, String sas) {
        return new TableClientBuilder()
                .retryPolicy(once())
                .endpoint(ENDPOINT)
                .tableName(name)
                .sasToken(sas)
                .buildClient();
    }

    static TableClient createTable() {
        return SERVICE.createTable(freshName());
    }

    static String freshName() {
        return "java" + UUID.randomUUID().toString().replace("-", "");
    }

    static TableServiceClient keyed(String endpoint, AzureNamedKeyCredential key) {
        return service().endpoint(endpoint).credential(key).buildClient();
    }

    private static RetryPolicy once() {
        return new RetryPolicy(new RetryOptions(new FixedDelayOptions(0, Duration.ZERO)));
    }

    private static String variable(String name) {
        String value = System.getenv(name);
        if (value == null || value.isEmpty()) {
            throw new IllegalStateException(name + " is not set");
        }
        return value;
    }
}
