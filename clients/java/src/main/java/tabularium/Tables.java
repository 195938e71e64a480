package tabularium;

import com.azure.core.http.rest.PagedResponse;
import com.azure.data.tables.TableClient;
import com.azure.data.tables.TableServiceClient;
import com.azure.data.tables.models.ListTablesOptions;
import com.azure.data.tables.models.TableEntity;
import com.azure.data.tables.models.TableItem;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

final class Tables {
    private Tables() {}

    static void add(Cases cases) {
        cases.onTable(
                "a new table is listed under the name it was created with",
                table -> Check.equal(List.of(table.getTableName()), named(table.getTableName()), "the list"));

        cases.add("a table keeps the case of its name and is found in any other", () -> {
            String name = "Mixed" + Account.freshName();
            TableClient table = Account.SERVICE.createTable(name);
            try {
                Check.equal(List.of(name), named(name), "the list");
                Account.SERVICE.getTableClient(name.toUpperCase(Locale.ROOT)).createEntity(new TableEntity("p", "r"));
                TableEntity read = Account.SERVICE
                        .getTableClient(name.toLowerCase(Locale.ROOT))
                        .getEntity("p", "r");
                Check.equal("r", read.getRowKey(), "the row key");
            } finally {
                table.deleteTable();
            }
        });

        cases.onTable(
                "creating a table twice is refused with 409 TableAlreadyExists",
                table -> Check.refused(409, "TableAlreadyExists", table::createTable));

        cases.onTable(
                "creating a table again in other case is refused with 409 TableAlreadyExists",
                table -> Check.refused(
                        409,
                        "TableAlreadyExists",
                        () -> Account.SERVICE.createTable(table.getTableName().toUpperCase(Locale.ROOT))));

        cases.onTable("creating a table if it does not exist accepts one that does, and keeps what it holds", table -> {
            table.createEntity(new TableEntity("p", "r"));
            TableClient same = Account.SERVICE.createTableIfNotExists(table.getTableName());
            Check.equal("r", same.getEntity("p", "r").getRowKey(), "the row key");
        });

        cases.add("creating a table if it does not exist creates it", () -> {
            TableClient table = Account.SERVICE.createTableIfNotExists(Account.freshName());
            Check.equal(List.of(table.getTableName()), named(table.getTableName()), "the list");
            table.deleteTable();
        });

        cases.onTable("a table whose name begins with another's is a table of its own", table -> {
            TableClient longer = Account.SERVICE.createTable(table.getTableName() + "x");
            longer.createEntity(new TableEntity("p", "r"));
            longer.deleteTable();
            Check.equal(List.of(table.getTableName()), named(table.getTableName()), "the list");
        });

        cases.onTable("a deleted table is gone from the list and for its entities", table -> {
            table.createEntity(new TableEntity("p", "r"));
            table.deleteTable();
            Check.equal(List.of(), named(table.getTableName()), "the list");
            Check.refused(404, "TableNotFound", () -> table.getEntity("p", "r"));
            Check.refused(404, "TableNotFound", () -> table.createEntity(new TableEntity("p", "r")));
        });

        cases.onTable("a table that is created again is empty", table -> {
            table.createEntity(new TableEntity("p", "r"));
            table.deleteTable();
            table.createTable();
            Check.equal(0L, table.listEntities().stream().count(), "the number of entities");
        });

        // The client swallows this refusal, and shows it in the status only.
        cases.add(
                "deleting a missing table is answered with 404",
                () -> Check.equal(
                        404,
                        Account.SERVICE
                                .deleteTableWithResponse(Account.freshName(), null, null)
                                .getStatusCode(),
                        "the status"));

        cases.add("names of 3 and of 63 characters are accepted, of 2 and of 64 refused with 400", () -> {
            String longest = (Account.freshName() + "x".repeat(63)).substring(0, 63);
            String shortest = "j" + Account.freshName().substring(4, 6);
            for (String name : List.of(longest, shortest)) {
                Account.SERVICE.createTable(name).deleteTable();
            }
            Check.refused(400, "OutOfRangeInput", () -> Account.SERVICE.createTable("ab"));
            Check.refused(400, "OutOfRangeInput", () -> Account.SERVICE.createTable(longest + "x"));
        });

        cases.add("names with characters that tables cannot have are refused with 400 InvalidResourceName", () -> {
            for (String name : List.of("under_score", "da-sh", "1digit", "dot.ted", "umläut")) {
                Check.refused(400, "InvalidResourceName", () -> Account.SERVICE.createTable(name));
            }
        });

        cases.add(
                "the name of the list of tables is refused with 400 InvalidInput",
                () -> Check.refused(400, "InvalidInput", () -> Account.SERVICE.createTable("Tables")));

        cases.add(
                "tables are filtered by a range of names, and by one name or another",
                () -> withFive(names -> {
                    String from = names.get(1);
                    String to = names.get(3);
                    Check.equal(
                            names.subList(1, 3),
                            list("TableName ge '" + from + "' and TableName lt '" + to + "'"),
                            "the range");
                    Check.equal(
                            List.of(from, to),
                            list("TableName eq '" + from + "' or TableName eq '" + to + "'"),
                            "the two names");
                }));

        cases.add(
                "tables are listed in order, in pages of the size that was asked for",
                () -> withFive(names -> {
                    List<Integer> sizes = new ArrayList<>();
                    List<String> found = new ArrayList<>();
                    pages(Account.SERVICE, names, null).forEach(page -> {
                        sizes.add(page.getValue().size());
                        page.getValue().forEach(item -> found.add(item.getName()));
                    });
                    Check.equal(List.of(2, 2, 1), sizes, "the sizes of the pages");
                    Check.equal(names, found, "the list");
                }));

        cases.add(
                "a list of tables goes on from its token in another client",
                () -> withFive(names -> {
                    String token = pages(Account.SERVICE, names, null).get(0).getContinuationToken();
                    TableServiceClient other = Account.keyed(Account.ENDPOINT, Account.KEY);
                    List<String> rest = pages(other, names, token).stream()
                            .flatMap(page -> page.getValue().stream())
                            .map(TableItem::getName)
                            .toList();
                    Check.equal(names.subList(2, 5), rest, "the rest of the list");
                }));
    }

    private interface NamesBody {
        void run(List<String> names) throws Exception;
    }

    private static void withFive(NamesBody body) throws Exception {
        String start = Account.freshName();
        List<String> names =
                IntStream.range(0, 5).mapToObj(index -> start + index).toList();
        names.forEach(Account.SERVICE::createTable);
        try {
            body.run(names);
        } finally {
            names.forEach(Account.SERVICE::deleteTable);
        }
    }

    private static List<PagedResponse<TableItem>> pages(TableServiceClient service, List<String> names, String token) {
        String filter = "TableName ge '" + names.get(0) + "' and TableName le '" + names.get(4) + "'";
        ListTablesOptions options = new ListTablesOptions().setFilter(filter).setTop(2);
        return service.listTables(options, null, null).streamByPage(token).toList();
    }

    private static List<String> named(String name) {
        return list("TableName eq '" + name + "'");
    }

    private static List<String> list(String filter) {
        return Account.SERVICE.listTables(new ListTablesOptions().setFilter(filter), null, null).stream()
                .map(TableItem::getName)
                .toList();
    }
}
