package tabularium;

import static com.azure.data.tables.models.TableTransactionActionType.CREATE;
import static com.azure.data.tables.models.TableTransactionActionType.DELETE;
import static com.azure.data.tables.models.TableTransactionActionType.UPDATE_MERGE;
import static com.azure.data.tables.models.TableTransactionActionType.UPSERT_MERGE;

import com.azure.core.credential.AzureSasCredential;
import com.azure.data.tables.TableClient;
import com.azure.data.tables.TableServiceClient;
import com.azure.data.tables.models.ListEntitiesOptions;
import com.azure.data.tables.models.TableEntity;
import com.azure.data.tables.models.TableEntityUpdateMode;
import com.azure.data.tables.models.TableTransactionAction;
import com.azure.data.tables.sas.TableSasIpRange;
import com.azure.data.tables.sas.TableSasPermission;
import com.azure.data.tables.sas.TableSasProtocol;
import com.azure.data.tables.sas.TableSasSignatureValues;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;

/** Signatures for one table. The client always gives both keys of the end of a range, or none. */
final class TableSas {
    /** Newer versions of the service name the permission, older ones do not. */
    static final String FORBIDDEN = "AuthorizationFailure|AuthorizationPermissionMismatch";

    private TableSas() {}

    static void add(Cases cases) {
        cases.onTable("a table signature with r alone gets and queries, and does nothing else", table -> {
            table.createEntity(new TableEntity("p", "r").addProperty("value", 1));
            TableClient signed = signed(table, permitting("r"));
            Check.equal(1, signed.getEntity("p", "r").getProperty("value"), "the value");
            Check.equal(List.of("r"), Queries.rowKeys(signed, "PartitionKey eq 'p'"), "the row keys");
            may(signed, "");
        });

        cases.onTable(
                "a table signature with a alone inserts, and does nothing else",
                table -> may(signed(table, permitting("a")), "insert"));

        cases.onTable(
                "a table signature with u alone updates what is there, and does nothing else",
                table -> may(signed(table, permitting("u")), "update"));

        cases.onTable(
                "a table signature with d alone deletes, and does nothing else",
                table -> may(signed(table, permitting("d")), "delete"));

        cases.onTable(
                "a table signature with a and u upserts too",
                table -> may(signed(table, permitting("au")), "insert update upsert"));

        cases.onTable("a table signature with all letters does everything with entities", table -> {
            TableClient signed = signed(table, permitting("raud"));
            may(signed, "insert update upsert delete");
            signed.submitTransaction(Transactions.creations(100));
            Check.equal(100L, signed.listEntities().stream().count(), "the number of entities");
        });

        cases.onTable(
                "each action of a transaction needs its own permission, and a refusal undoes the others", table -> {
                    TableEntity there = new TableEntity("p", "there");
                    table.createEntity(there);
                    TableTransactionAction creation = Transactions.action(CREATE, new TableEntity("p", "new"));
                    TableClient signed = signed(table, permitting("ra"));
                    Check.refused(1, FORBIDDEN, signed, List.of(creation, Transactions.action(UPDATE_MERGE, there)));
                    Check.refused(1, FORBIDDEN, signed, List.of(creation, Transactions.action(UPSERT_MERGE, there)));
                    Check.refused(1, FORBIDDEN, signed, List.of(creation, Transactions.action(DELETE, there)));
                    Check.refused(0, FORBIDDEN, signed(table, permitting("rud")), List.of(creation));
                    Check.equal(List.of("there"), Queries.rowKeys(table, null), "the row keys");
                    signed.submitTransaction(List.of(creation));
                    Check.equal(List.of("new", "there"), Queries.rowKeys(table, null), "the row keys");
                });

        cases.onTable("a table signature opens nothing but entities", table -> {
            String sas = table.generateSas(permitting("raud"));
            TableServiceClient service = Account.signed(Account.ENDPOINT, sas);
            TableClient signed = Account.table(table.getTableName(), sas);
            Check.refused(403, "Auth\\w+", () -> service.createTable(Account.freshName()));
            Check.refused(403, "Auth\\w+", () -> service.listTables().stream().count());
            Check.refused(403, "Auth\\w+", service::getProperties);
            Check.refused(403, "Auth\\w+", signed::deleteTable);
            Check.refused(403, "Auth\\w+", signed::getAccessPolicies);
            Check.refused(403, "Auth\\w+", () -> signed.setAccessPolicies(List.of()));
            signed.createEntity(new TableEntity("p", "r"));
        });

        cases.onTable("a table signature is good for its table only", table -> {
            TableClient other = Account.createTable();
            try {
                String sas = table.generateSas(permitting("raud"));
                Account.table(table.getTableName(), sas).createEntity(new TableEntity("p", "r"));
                TableClient signed = Account.table(other.getTableName(), sas);
                Check.refused(403, "Auth\\w+", () -> signed.createEntity(new TableEntity("p", "r")));
                Check.refused(
                        403, "Auth\\w+", () -> signed.listEntities().stream().count());
            } finally {
                other.deleteTable();
            }
        });

        cases.onTable("a table signature may name its table in other case", table -> {
            String upper = table.getTableName().toUpperCase(Locale.ROOT);
            String sas = Account.SERVICE.getTableClient(upper).generateSas(permitting("ra"));
            for (String name : List.of(table.getTableName(), upper)) {
                Account.table(name, sas).createEntity(new TableEntity("p", name));
            }
            Check.equal(2L, table.listEntities().stream().count(), "the number of entities");
        });

        cases.onTable("a query sees what is inside the range only, page by page too", table -> {
            seed(table);
            TableClient signed = signed(table, ranged("raud"));
            List<String> inside = List.of("a2", "a3", "b1", "b2", "b3", "c1", "c2");
            Check.equal(inside, keys(signed, null), "the keys");
            Check.equal(List.of("a2", "b2", "c2"), keys(signed, "RowKey eq '2'"), "the keys");
            Check.equal(List.of("c1", "c2"), keys(signed, "PartitionKey ge 'c'"), "the keys");
            Check.equal(
                    List.of(),
                    keys(signed, "PartitionKey eq 'd' or PartitionKey eq 'a' and RowKey eq '1'"),
                    "the keys");
            List<String> paged = Paging.pages(signed, new ListEntitiesOptions().setTop(2), null).stream()
                    .flatMap(page -> page.getValue().stream())
                    .map(TableSas::keyOf)
                    .toList();
            Check.equal(inside, paged, "the keys");
        });

        cases.onTable("a point read outside the range is not found, inside it is", table -> {
            seed(table);
            TableClient signed = signed(table, ranged("r"));
            Check.equal("2", signed.getEntity("a", "2").getRowKey(), "the row key");
            Check.equal("1", signed.getEntity("b", "1").getRowKey(), "the row key");
            for (String outside : List.of("a1", "c3", "d1", "A2")) {
                Check.refused(
                        404, "ResourceNotFound", () -> signed.getEntity(outside.substring(0, 1), outside.substring(1)));
            }
        });

        cases.onTable("writes outside the range are refused with 403 AuthorizationFailure, inside it done", table -> {
            seed(table);
            TableClient signed = signed(table, ranged("raud"));
            for (String outside : List.of("a1", "c3", "d1")) {
                TableEntity entity =
                        new TableEntity(outside.substring(0, 1), outside.substring(1)).addProperty("new", true);
                Check.refused(403, "AuthorizationFailure", () -> signed.createEntity(entity));
                Check.refused(403, "AuthorizationFailure", () -> signed.upsertEntity(entity));
                Check.refused(403, "AuthorizationFailure", () -> signed.updateEntity(entity));
                Check.refused(403, "AuthorizationFailure", () -> signed.deleteEntity(entity));
            }
            Check.equal(12, keys(table, null).size(), "the number of entities");
            Check.equal(List.of(), keys(table, "new"), "what was written");
            signed.createEntity(new TableEntity("bb", "0"));
            signed.deleteEntity("b", "1");
            Check.equal(
                    List.of("b2", "b3", "bb0"), keys(table, "PartitionKey gt 'a' and PartitionKey lt 'c'"), "the keys");
        });

        cases.onTable("an action outside the range is refused with its index, and nothing is written", table -> {
            seed(table);
            TableClient signed = signed(table, ranged("raud"));
            Check.refused(
                    1,
                    "AuthorizationFailure",
                    signed,
                    List.of(
                            Transactions.action(UPSERT_MERGE, new TableEntity("a", "4")),
                            Transactions.action(UPSERT_MERGE, new TableEntity("a", "0"))));
            Check.refused(
                    0, "AuthorizationFailure", signed, List.of(Transactions.action(DELETE, new TableEntity("c", "3"))));
            Check.equal(List.of("a1", "a2", "a3"), keys(table, "PartitionKey eq 'a'"), "the keys");
            signed.submitTransaction(List.of(
                    Transactions.action(DELETE, new TableEntity("a", "2")),
                    Transactions.action(UPSERT_MERGE, new TableEntity("a", "4"))));
            Check.equal(List.of("a1", "a3", "a4"), keys(table, "PartitionKey eq 'a'"), "the keys");
        });

        cases.onTable("a range may have one end only, and hold one entity, with keys of any kind", table -> {
            seed(table);
            TableSasSignatureValues from =
                    permitting("r").setStartPartitionKey("c").setStartRowKey("2");
            Check.equal(List.of("c2", "c3", "d1", "d2", "d3"), keys(signed(table, from), null), "the keys");
            TableSasSignatureValues to = permitting("r").setEndPartitionKey("a").setEndRowKey("2");
            Check.equal(List.of("a1", "a2"), keys(signed(table, to), null), "the keys");
            for (String key : List.of("O'Hara & Söhne = 100%", "日本 +\uD83D\uDE00", "%27")) {
                table.createEntity(new TableEntity(key, key));
                TableSasSignatureValues one = permitting("r")
                        .setStartPartitionKey(key)
                        .setStartRowKey(key)
                        .setEndPartitionKey(key)
                        .setEndRowKey(key);
                Check.equal(List.of(key + key), keys(signed(table, one), null), "the keys");
                Check.equal(key, signed(table, one).getEntity(key, key).getRowKey(), "the row key");
            }
        });

        cases.onTable(
                "a table signature that is over, or has not begun, is refused with 403 AuthenticationFailed", table -> {
                    TableClient over =
                            signed(table, new TableSasSignatureValues(inMinutes(-1), TableSasPermission.parse("raud")));
                    TableClient early = signed(table, permitting("raud").setStartTime(inMinutes(30)));
                    for (TableClient signed : List.of(over, early)) {
                        Check.refused(
                                403, "AuthenticationFailed", () -> signed.createEntity(new TableEntity("p", "r")));
                        Check.refused(403, "AuthenticationFailed", () -> signed.listEntities().stream()
                                .count());
                        Check.refused(
                                403, "AuthenticationFailed", () -> signed.submitTransaction(Transactions.creations(1)));
                    }
                    signed(table, permitting("raud").setStartTime(inMinutes(-30)))
                            .createEntity(new TableEntity("p", "r"));
                });

        cases.onTable("a table signature that was changed is refused with 403 AuthenticationFailed", table -> {
            String sas = table.generateSas(permitting("r"));
            Check.refused(404, "ResourceNotFound", () -> Account.table(table.getTableName(), sas)
                    .getEntity("p", "r"));
            List<String> changed = List.of(
                    sas.replace("sp=r", "sp=raud"),
                    sas + "&spk=a&srk=b",
                    sas.replaceFirst("se=\\d{4}", "se=2099"),
                    sas.replaceFirst("sig=.{4}", "sig=AAAA"),
                    sas.replaceFirst("&sig=.*", ""));
            for (String token : changed) {
                Check.that(!token.equals(sas), "nothing was changed");
                Check.refused(403, "AuthenticationFailed", () -> Account.table(table.getTableName(), token)
                        .getEntity("p", "r"));
            }
        });

        cases.onTable("a table signature of another key is refused with 403 AuthenticationFailed", table -> {
            TableSasSignatureValues values = permitting("raud");
            String wrong = Account.WRONG.getTableClient(table.getTableName()).generateSas(values);
            Check.refused(403, "AuthenticationFailed", () -> Account.table(table.getTableName(), wrong)
                    .createEntity(new TableEntity("p", "r")));
            signed(table, values).createEntity(new TableEntity("p", "r"));
        });

        cases.onTable("a table signature holds for its addresses only", table -> {
            TableSasSignatureValues all =
                    permitting("ra").setSasIpRange(TableSasIpRange.parse("0.0.0.0-255.255.255.255"));
            signed(table, all).createEntity(new TableEntity("p", "r"));
            for (String elsewhere : List.of("192.0.2.1", "192.0.2.1-192.0.2.9")) {
                TableSasSignatureValues other = permitting("ra").setSasIpRange(TableSasIpRange.parse(elsewhere));
                Check.refused(403, "AuthorizationSourceIPMismatch", () -> signed(table, other)
                        .getEntity("p", "r"));
            }
        });

        cases.onTable("a table signature for HTTPS alone is refused over HTTP", table -> {
            TableSasSignatureValues both = permitting("ra").setProtocol(TableSasProtocol.HTTPS_HTTP);
            signed(table, both).createEntity(new TableEntity("p", "r"));
            TableSasSignatureValues one = permitting("ra").setProtocol(TableSasProtocol.HTTPS_ONLY);
            Check.refused(403, "AuthorizationProtocolMismatch", () -> signed(table, one)
                    .getEntity("p", "r"));
        });

        cases.onTable("table signatures of older and newer versions of the service are good", table -> {
            for (String version : List.of("2015-04-05", "2018-03-28", "2019-02-02", "2020-12-06", "2024-11-04")) {
                signed(table, permitting("a").setVersion(version)).createEntity(new TableEntity("p", version));
            }
            Check.equal(5L, table.listEntities().stream().count(), "the number of entities");
        });

        cases.onTable("a table signature works as a credential and in a connection string", table -> {
            String sas = table.generateSas(permitting("ra"));
            Account.service()
                    .endpoint(Account.ENDPOINT)
                    .credential(new AzureSasCredential(sas))
                    .buildClient()
                    .getTableClient(table.getTableName())
                    .createEntity(new TableEntity("p", "r"));
            String connection = "TableEndpoint=" + Account.ENDPOINT + ";SharedAccessSignature=" + sas;
            TableEntity read = Account.service()
                    .connectionString(connection)
                    .buildClient()
                    .getTableClient(table.getTableName())
                    .getEntity("p", "r");
            Check.equal("r", read.getRowKey(), "the row key");
        });
    }

    static TableClient signed(TableClient table, TableSasSignatureValues values) {
        return Account.table(table.getTableName(), table.generateSas(values));
    }

    static TableSasSignatureValues permitting(String letters) {
        return new TableSasSignatureValues(inMinutes(60), TableSasPermission.parse(letters));
    }

    static OffsetDateTime inMinutes(int minutes) {
        return OffsetDateTime.now(ZoneOffset.UTC).plusMinutes(minutes);
    }

    /** Tries each kind of write: those that are named succeed, the others are refused and change nothing. */
    static void may(TableClient signed, String permitted) throws Exception {
        TableClient table = Account.SERVICE.getTableClient(signed.getTableName());
        table.upsertEntity(new TableEntity("may", "there"));
        write(permitted.contains("insert"), () -> signed.createEntity(new TableEntity("may", "new")));
        write(
                permitted.contains("update"),
                () -> signed.updateEntity(new TableEntity("may", "there").addProperty("a", 1)));
        write(
                permitted.contains("update"),
                () -> signed.updateEntity(
                        new TableEntity("may", "there").addProperty("a", 1), TableEntityUpdateMode.REPLACE));
        write(
                permitted.contains("upsert"),
                () -> signed.upsertEntity(new TableEntity("may", "there").addProperty("b", 1)));
        write(
                permitted.contains("upsert"),
                () -> signed.upsertEntityWithResponse(
                        new TableEntity("may", "replaced"), TableEntityUpdateMode.REPLACE, null, null));
        TableEntity there = table.getEntity("may", "there");
        Check.equal(permitted.contains("update"), there.getProperty("a") != null, "the update");
        Check.equal(permitted.contains("upsert"), there.getProperty("b") != null, "the upsert");
        write(permitted.contains("delete"), () -> signed.deleteEntity("may", "there"));
        Check.equal(
                !permitted.contains("delete"),
                Queries.rowKeys(table, "PartitionKey eq 'may'").contains("there"),
                "whether the entity is there");
        Check.equal(
                permitted.contains("insert"),
                Queries.rowKeys(table, "PartitionKey eq 'may'").contains("new"),
                "whether the new entity is there");
        table.deleteEntity("may", "there");
        table.deleteEntity("may", "new");
        table.deleteEntity("may", "replaced");
    }

    private static void write(boolean isPermitted, Cases.Body body) throws Exception {
        if (isPermitted) {
            body.run();
        } else {
            Check.refused(403, FORBIDDEN, body);
        }
    }

    /** From a2 to c2, both inside. */
    private static TableSasSignatureValues ranged(String letters) {
        return permitting(letters)
                .setStartPartitionKey("a")
                .setStartRowKey("2")
                .setEndPartitionKey("c")
                .setEndRowKey("2");
    }

    private static void seed(TableClient table) {
        for (String partitionKey : List.of("a", "b", "c", "d")) {
            for (String rowKey : List.of("1", "2", "3")) {
                table.createEntity(new TableEntity(partitionKey, rowKey));
            }
        }
    }

    private static List<String> keys(TableClient table, String filter) {
        return Queries.entities(table, filter).stream().map(TableSas::keyOf).toList();
    }

    private static String keyOf(TableEntity entity) {
        return entity.getPartitionKey() + entity.getRowKey();
    }
}
