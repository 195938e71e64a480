package tabularium;

import com.azure.data.tables.TableClient;
import com.azure.data.tables.models.TableAccessPolicy;
import com.azure.data.tables.models.TableEntity;
import com.azure.data.tables.models.TableSignedIdentifier;
import com.azure.data.tables.sas.TableSasPermission;
import com.azure.data.tables.sas.TableSasSignatureValues;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

final class AccessPolicies {
    private static final OffsetDateTime START = Types.date("2020-02-03T04:05:06Z");
    private static final OffsetDateTime EXPIRY = Types.date("2199-02-03T04:05:06Z");

    private AccessPolicies() {}

    static void add(Cases cases) {
        cases.onTable(
                "a new table has no access policies", table -> Check.equal(List.of(), policies(table), "the policies"));

        cases.onTable("access policies come back as they were set, in their order", table -> {
            table.setAccessPolicies(List.of(
                    policy(
                            "second & <last>",
                            new TableAccessPolicy()
                                    .setStartsOn(START)
                                    .setExpiresOn(EXPIRY)
                                    .setPermissions("raud")),
                    policy(
                            "first",
                            new TableAccessPolicy()
                                    .setStartsOn(START)
                                    .setExpiresOn(EXPIRY)
                                    .setPermissions("r"))));
            Check.equal(
                    List.of(
                            "second & <last> " + START + " " + EXPIRY + " raud",
                            "first " + START + " " + EXPIRY + " r"),
                    policies(table),
                    "the policies");
        });

        cases.onTable("an access policy comes back with the parts that it was given", table -> {
            table.setAccessPolicies(List.of(
                    policy("bare", null),
                    policy("letters", new TableAccessPolicy().setPermissions("ra")),
                    policy("end", new TableAccessPolicy().setExpiresOn(EXPIRY)),
                    policy("start", new TableAccessPolicy().setStartsOn(START))));
            Check.equal(
                    List.of(
                            "bare",
                            "letters null null ra",
                            "end null " + EXPIRY + " null",
                            "start " + START + " null null"),
                    policies(table),
                    "the policies");
        });

        cases.onTable("setting access policies replaces those before", table -> {
            table.setAccessPolicies(List.of(policy("one", null), policy("two", null)));
            table.setAccessPolicies(List.of(policy("three", null)));
            Check.equal(List.of("three"), policies(table), "the policies");
        });

        cases.onTable("five access policies are stored, six are refused with 400 InvalidXmlDocument", table -> {
            List<TableSignedIdentifier> five = IntStream.range(0, 5)
                    .mapToObj(index -> policy("id" + index, null))
                    .toList();
            table.setAccessPolicies(five);
            List<TableSignedIdentifier> six = new ArrayList<>(five);
            six.add(policy("sixth", null));
            Check.refused(400, "InvalidXmlDocument", () -> table.setAccessPolicies(six));
            Check.equal(List.of("id0", "id1", "id2", "id3", "id4"), policies(table), "the policies");
        });

        cases.onTable("an id of 64 characters is stored, of 65 refused with 400 InvalidXmlDocument", table -> {
            table.setAccessPolicies(List.of(policy("i".repeat(64), null)));
            Check.refused(
                    400, "InvalidXmlDocument", () -> table.setAccessPolicies(List.of(policy("i".repeat(65), null))));
            Check.equal(List.of("i".repeat(64)), policies(table), "the policies");
        });

        cases.onTable("access policies are cleared", table -> {
            table.setAccessPolicies(List.of(policy("one", null)));
            table.setAccessPolicies(List.of());
            Check.equal(List.of(), policies(table), "the policies");
        });

        cases.add("access policies of a missing table are refused with 404 TableNotFound", () -> {
            TableClient table = Account.SERVICE.getTableClient(Account.freshName());
            Check.refused(404, "TableNotFound", table::getAccessPolicies);
            Check.refused(404, "TableNotFound", () -> table.setAccessPolicies(List.of(policy("one", null))));
        });

        cases.onTable("access policies go with their table", table -> {
            table.setAccessPolicies(List.of(policy("one", null)));
            table.deleteTable();
            table.createTable();
            Check.equal(List.of(), policies(table), "the policies");
        });

        cases.onTable("a signature takes everything from its policy, and fails once that is revoked", table -> {
            table.setAccessPolicies(List.of(policy("mine", whole("ra")), policy("other", whole("r"))));
            TableClient signed = TableSas.signed(table, new TableSasSignatureValues("mine"));
            signed.createEntity(new TableEntity("p", "r"));
            Check.equal("r", signed.getEntity("p", "r").getRowKey(), "the row key");
            Check.refused(403, TableSas.FORBIDDEN, () -> signed.deleteEntity("p", "r"));
            table.setAccessPolicies(List.of(policy("other", whole("raud"))));
            Check.refused(403, "AuthenticationFailed", () -> signed.getEntity("p", "r"));
            Check.refused(403, "AuthenticationFailed", () -> signed.listEntities().stream()
                    .count());
            Check.refused(403, "AuthenticationFailed", () -> signed.submitTransaction(Transactions.creations(1)));
            table.setAccessPolicies(List.of(policy("mine", whole("r"))));
            Check.equal("r", signed.getEntity("p", "r").getRowKey(), "the row key");
        });

        cases.onTable("a signature adds what its policy leaves open", table -> {
            table.createEntity(new TableEntity("p", "r"));
            table.setAccessPolicies(List.of(
                    policy("end", new TableAccessPolicy().setExpiresOn(TableSas.inMinutes(60))),
                    policy("letters", new TableAccessPolicy().setPermissions("r")),
                    policy("over", new TableAccessPolicy().setExpiresOn(TableSas.inMinutes(-60))),
                    policy("bare", null)));
            TableSasPermission read = TableSasPermission.parse("r");
            List<TableSasSignatureValues> good = List.of(
                    new TableSasSignatureValues("end").setPermissions(read),
                    new TableSasSignatureValues("letters").setExpiryTime(TableSas.inMinutes(60)),
                    TableSas.permitting("r").setIdentifier("bare"));
            for (TableSasSignatureValues values : good) {
                Check.equal(
                        "r", TableSas.signed(table, values).getEntity("p", "r").getRowKey(), "the row key");
                Check.refused(403, TableSas.FORBIDDEN, () -> TableSas.signed(table, values)
                        .deleteEntity("p", "r"));
            }
            List<TableSasSignatureValues> bad = List.of(
                    new TableSasSignatureValues("over").setPermissions(read),
                    new TableSasSignatureValues("end"),
                    new TableSasSignatureValues("letters"),
                    new TableSasSignatureValues("bare"),
                    new TableSasSignatureValues("unknown"),
                    TableSas.permitting("r").setIdentifier("unknown"));
            for (TableSasSignatureValues values : bad) {
                Check.refused(403, "AuthenticationFailed", () -> TableSas.signed(table, values)
                        .getEntity("p", "r"));
            }
        });

        cases.onTable("a change of a policy holds for signatures that were given out before", table -> {
            table.createEntity(new TableEntity("p", "r"));
            table.setAccessPolicies(List.of(policy("mine", whole("r"))));
            TableClient signed = TableSas.signed(table, new TableSasSignatureValues("mine"));
            Check.refused(403, TableSas.FORBIDDEN, () -> signed.deleteEntity("p", "r"));
            table.setAccessPolicies(List.of(policy("mine", whole("d"))));
            Check.refused(403, TableSas.FORBIDDEN, () -> signed.getEntity("p", "r"));
            signed.deleteEntity("p", "r");
            table.setAccessPolicies(List.of(policy("mine", whole("r").setExpiresOn(TableSas.inMinutes(-1)))));
            Check.refused(403, "AuthenticationFailed", () -> signed.getEntity("p", "r"));
        });

        cases.onTable("a signature by policy keeps its range", table -> {
            table.setAccessPolicies(List.of(policy("mine", whole("raud"))));
            TableClient signed = TableSas.signed(
                    table,
                    new TableSasSignatureValues("mine")
                            .setStartPartitionKey("m")
                            .setStartRowKey("")
                            .setEndPartitionKey("m")
                            .setEndRowKey("n"));
            signed.createEntity(new TableEntity("m", "m"));
            table.createEntity(new TableEntity("m", "o"));
            Check.equal(List.of("m"), Queries.rowKeys(signed, null), "the row keys");
            Check.refused(403, "AuthorizationFailure", () -> signed.createEntity(new TableEntity("m", "z")));
        });
    }

    private static TableSignedIdentifier policy(String id, TableAccessPolicy policy) {
        return new TableSignedIdentifier(id).setAccessPolicy(policy);
    }

    private static TableAccessPolicy whole(String letters) {
        return new TableAccessPolicy()
                .setStartsOn(START)
                .setExpiresOn(TableSas.inMinutes(60).truncatedTo(ChronoUnit.SECONDS))
                .setPermissions(letters);
    }

    /**
     * Each as its id, and start, expiry and permissions where it has any; the client gives null for
     * an empty list.
     */
    private static List<String> policies(TableClient table) {
        List<TableSignedIdentifier> identifiers = table.getAccessPolicies().getIdentifiers();
        return identifiers == null
                ? List.of()
                : identifiers.stream().map(AccessPolicies::text).toList();
    }

    private static String text(TableSignedIdentifier identifier) {
        TableAccessPolicy policy = identifier.getAccessPolicy();
        return policy == null
                ? identifier.getId()
                : identifier.getId()
                        + " "
                        + policy.getStartsOn()
                        + " "
                        + policy.getExpiresOn()
                        + " "
                        + policy.getPermissions();
    }
}
