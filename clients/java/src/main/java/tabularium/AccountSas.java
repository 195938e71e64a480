package tabularium;

import static com.azure.data.tables.models.TableTransactionActionType.CREATE;
import static com.azure.data.tables.models.TableTransactionActionType.DELETE;
import static com.azure.data.tables.models.TableTransactionActionType.UPSERT_MERGE;

import com.azure.data.tables.TableClient;
import com.azure.data.tables.TableServiceClient;
import com.azure.data.tables.models.TableEntity;
import com.azure.data.tables.models.TableServiceProperties;
import com.azure.data.tables.models.TableTransactionAction;
import com.azure.data.tables.sas.TableAccountSasPermission;
import com.azure.data.tables.sas.TableAccountSasResourceType;
import com.azure.data.tables.sas.TableAccountSasService;
import com.azure.data.tables.sas.TableAccountSasSignatureValues;
import com.azure.data.tables.sas.TableSasIpRange;
import com.azure.data.tables.sas.TableSasProtocol;
import java.util.List;

/**
 * Signatures for the account. The client's are of version 2020-04-08: what it signs lacks the line
 * that versions from 2020-12-06 on have, so newer ones cannot be tried with it.
 */
final class AccountSas {
    private static final String PERMISSION = "AuthorizationPermissionMismatch";
    private static final String RESOURCE_TYPE = "AuthorizationResourceTypeMismatch";

    private AccountSas() {}

    static void add(Cases cases) {
        cases.add("an account signature with everything does everything but access policies", () -> {
            TableServiceClient service = signed("t", "sco", "rwdlacu");
            TableClient table = service.createTable(Account.freshName());
            try {
                table.submitTransaction(Transactions.creations(3));
                Check.equal(3L, table.listEntities().stream().count(), "the number of entities");
                TableSas.may(table, "insert update upsert delete");
                Check.that(
                        service.listTables().stream()
                                .anyMatch(item -> item.getName().equals(table.getTableName())),
                        "the table is not listed");
                Check.equal("1.0", service.getProperties().getLogging().getAnalyticsVersion(), "the version");
                Check.refused(403, "Auth\\w+", table::getAccessPolicies);
                Check.refused(403, "Auth\\w+", () -> table.setAccessPolicies(List.of()));
            } finally {
                table.deleteTable();
            }
            Check.refused(404, "TableNotFound", () -> table.getEntity("p", "r"));
        });

        for (String letter : List.of("c", "w")) {
            cases.onTable(
                    "an account signature with " + letter + " alone creates tables, but lists and deletes none",
                    table -> {
                        TableServiceClient service = signed("t", "c", letter);
                        String name = Account.freshName();
                        service.createTable(name);
                        Account.SERVICE.deleteTable(name);
                        Check.refused(403, PERMISSION, () -> service.listTables().stream()
                                .count());
                        Check.refused(403, PERMISSION, () -> service.deleteTable(table.getTableName()));
                    });
        }

        cases.onTable("an account signature with l alone lists tables, but creates and deletes none", table -> {
            TableServiceClient service = signed("t", "c", "l");
            Check.that(
                    service.listTables().stream()
                            .anyMatch(item -> item.getName().equals(table.getTableName())),
                    "the table is not listed");
            Check.refused(403, PERMISSION, () -> service.createTable(Account.freshName()));
            Check.refused(403, PERMISSION, () -> service.deleteTable(table.getTableName()));
        });

        cases.onTable("an account signature with d alone deletes tables, but creates and lists none", table -> {
            TableServiceClient service = signed("t", "c", "d");
            Check.refused(403, PERMISSION, () -> service.createTable(Account.freshName()));
            Check.refused(403, PERMISSION, () -> service.listTables().stream().count());
            service.deleteTable(table.getTableName());
            Check.refused(404, "TableNotFound", () -> table.getEntity("p", "r"));
        });

        cases.onTable("an account signature with r alone reads entities, and writes none", table -> {
            table.createEntity(new TableEntity("p", "r"));
            TableClient signed = signed("t", "o", "r").getTableClient(table.getTableName());
            Check.equal("r", signed.getEntity("p", "r").getRowKey(), "the row key");
            Check.equal(List.of("r"), Queries.rowKeys(signed, "PartitionKey eq 'p'"), "the row keys");
            TableSas.may(signed, "");
        });

        cases.onTable(
                "an account signature with a, u or d alone inserts, updates or deletes, and reads nothing", table -> {
                    for (String[] pair : new String[][] {{"a", "insert"}, {"u", "update"}, {"d", "delete"}}) {
                        TableClient signed = signed("t", "o", pair[0]).getTableClient(table.getTableName());
                        TableSas.may(signed, pair[1]);
                        Check.refused(403, PERMISSION, () -> signed.getEntity("p", "r"));
                        Check.refused(403, PERMISSION, () -> signed.listEntities().stream()
                                .count());
                    }
                });

        cases.onTable(
                "an account signature with a and u upserts too",
                table -> TableSas.may(
                        signed("t", "o", "au").getTableClient(table.getTableName()), "insert update upsert"));

        cases.onTable("each action of a transaction needs its permission in the account signature", table -> {
            TableEntity there = new TableEntity("p", "there");
            table.createEntity(there);
            TableTransactionAction creation = Transactions.action(CREATE, new TableEntity("p", "new"));
            TableClient signed = signed("t", "o", "a").getTableClient(table.getTableName());
            Check.refused(1, PERMISSION, signed, List.of(creation, Transactions.action(DELETE, there)));
            Check.refused(1, PERMISSION, signed, List.of(creation, Transactions.action(UPSERT_MERGE, there)));
            Check.equal(List.of("there"), Queries.rowKeys(table, null), "the row keys");
            signed.submitTransaction(List.of(creation));
            Check.equal(List.of("new", "there"), Queries.rowKeys(table, null), "the row keys");
        });

        cases.add("an account signature for the service reads properties with r, and sets them with w", () -> {
            TableServiceProperties current = Account.SERVICE.getProperties();
            TableServiceProperties same = new TableServiceProperties().setLogging(current.getLogging());
            signed("t", "s", "w").setProperties(same);
            Check.refused(403, PERMISSION, () -> signed("t", "s", "w").getProperties());
            Check.equal(
                    current.getLogging().getAnalyticsVersion(),
                    signed("t", "s", "r").getProperties().getLogging().getAnalyticsVersion(),
                    "the version");
            Check.refused(403, PERMISSION, () -> signed("t", "s", "r").setProperties(same));
        });

        cases.onTable("an account signature opens its resource types only", table -> {
            TableServiceClient forService = signed("t", "s", "rwdlacu");
            TableServiceClient forTables = signed("t", "c", "rwdlacu");
            TableServiceClient forEntities = signed("t", "o", "rwdlacu");
            for (TableServiceClient other : List.of(forService, forTables)) {
                TableClient signed = other.getTableClient(table.getTableName());
                Check.refused(403, RESOURCE_TYPE, () -> signed.getEntity("p", "r"));
                Check.refused(
                        403, RESOURCE_TYPE, () -> signed.listEntities().stream().count());
                Check.refused(403, RESOURCE_TYPE, () -> signed.createEntity(new TableEntity("p", "r")));
            }
            for (TableServiceClient other : List.of(forService, forEntities)) {
                Check.refused(403, RESOURCE_TYPE, () -> other.createTable(Account.freshName()));
                Check.refused(
                        403, RESOURCE_TYPE, () -> other.listTables().stream().count());
                Check.refused(403, RESOURCE_TYPE, () -> other.deleteTable(table.getTableName()));
            }
            for (TableServiceClient other : List.of(forTables, forEntities)) {
                Check.refused(403, RESOURCE_TYPE, other::getProperties);
            }
            forEntities.getTableClient(table.getTableName()).createEntity(new TableEntity("p", "r"));
        });

        cases.onTable("an account signature for other services is refused with AuthorizationServiceMismatch", table -> {
            TableServiceClient other = signed("bqf", "sco", "rwdlacu");
            Check.refused(403, "AuthorizationServiceMismatch", () -> other.getTableClient(table.getTableName())
                    .createEntity(new TableEntity("p", "r")));
            Check.refused(403, "AuthorizationServiceMismatch", () -> other.listTables().stream()
                    .count());
            signed("bqtf", "sco", "rwdlacu")
                    .getTableClient(table.getTableName())
                    .createEntity(new TableEntity("p", "r"));
        });

        cases.onTable("an account signature that is over, has not begun, or was changed is refused with 403", table -> {
            String good = sas(values("t", "o", "r"));
            List<String> bad = List.of(
                    sas(new TableAccountSasSignatureValues(
                            TableSas.inMinutes(-1),
                            TableAccountSasPermission.parse("ra"),
                            TableAccountSasService.parse("t"),
                            TableAccountSasResourceType.parse("o"))),
                    sas(values("t", "o", "ra").setStartTime(TableSas.inMinutes(30))),
                    good.replace("sp=r", "sp=rwdlacu"),
                    good.replace("srt=o", "srt=sco"),
                    good.replaceFirst("sig=.{4}", "sig=AAAA"),
                    Account.WRONG.generateAccountSas(values("t", "o", "ra")));
            Check.refused(404, "ResourceNotFound", () -> Account.table(table.getTableName(), good)
                    .getEntity("p", "r"));
            for (String token : bad) {
                Check.refused(403, "AuthenticationFailed", () -> Account.table(table.getTableName(), token)
                        .getEntity("p", "r"));
            }
        });

        cases.onTable("an account signature holds for its addresses and protocols only", table -> {
            TableAccountSasSignatureValues here = values("t", "o", "ra")
                    .setProtocol(TableSasProtocol.HTTPS_HTTP)
                    .setSasIpRange(TableSasIpRange.parse("0.0.0.0-255.255.255.255"))
                    .setStartTime(TableSas.inMinutes(-30));
            Account.table(table.getTableName(), sas(here)).createEntity(new TableEntity("p", "r"));
            String elsewhere = sas(values("t", "o", "ra").setSasIpRange(TableSasIpRange.parse("192.0.2.1-192.0.2.9")));
            Check.refused(403, "AuthorizationSourceIPMismatch", () -> Account.table(table.getTableName(), elsewhere)
                    .getEntity("p", "r"));
            String secured = sas(values("t", "o", "ra").setProtocol(TableSasProtocol.HTTPS_ONLY));
            Check.refused(403, "AuthorizationProtocolMismatch", () -> Account.table(table.getTableName(), secured)
                    .getEntity("p", "r"));
        });

        cases.onTable("account signatures of older versions of the service are good", table -> {
            for (String version : List.of("2015-04-05", "2018-03-28", "2019-12-12", "2020-10-02")) {
                Account.table(table.getTableName(), sas(values("t", "o", "a").setVersion(version)))
                        .createEntity(new TableEntity("p", version));
            }
            Check.equal(4L, table.listEntities().stream().count(), "the number of entities");
        });
    }

    static String sas(TableAccountSasSignatureValues values) {
        return Account.SERVICE.generateAccountSas(values);
    }

    static TableAccountSasSignatureValues values(String services, String resourceTypes, String letters) {
        return new TableAccountSasSignatureValues(
                TableSas.inMinutes(60),
                TableAccountSasPermission.parse(letters),
                TableAccountSasService.parse(services),
                TableAccountSasResourceType.parse(resourceTypes));
    }

    private static TableServiceClient signed(String services, String resourceTypes, String letters) {
        return Account.signed(Account.ENDPOINT, sas(values(services, resourceTypes, letters)));
    }
}
