package tabularium;

import com.azure.data.tables.TableClient;
import com.azure.data.tables.models.ListEntitiesOptions;
import com.azure.data.tables.models.TableEntity;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

final class Queries {
    private Queries() {}

    static void add(Cases cases) {
        cases.onTable(
                "a table without entities gives none",
                table -> Check.equal(List.of(), entities(table, null), "the entities"));

        cases.onTable("entities come in the order of partition key, then row key, by code point", table -> {
            List<String> keys = List.of("", "1", "10", "2", "A", "B", "Z", "a", "b", "é", "日");
            for (int index = keys.size() - 1; index >= 0; index--) {
                table.createEntity(new TableEntity("b", keys.get(index)));
                table.createEntity(new TableEntity(keys.get(index), "r"));
            }
            Check.equal(keys, rowKeys(table, "PartitionKey eq 'b' and RowKey ne 'r'"), "the row keys");
            Check.equal(
                    keys,
                    entities(table, "RowKey eq 'r'").stream()
                            .map(TableEntity::getPartitionKey)
                            .toList(),
                    "the partition keys");
        });

        cases.onTable("strings compare with all six operators, by case and code point", table -> {
            compares(table, "B", "b", "bB", "'b'");
            Check.equal(List.of("1 low"), rowKeys(table, "value eq 'B'"), "eq");
        });

        cases.onTable("Int32 compares with all six operators", table -> compares(table, -5, 7, 1000, "7"));

        cases.onTable(
                "Int64 compares with all six operators",
                table -> compares(table, Long.MIN_VALUE, 9007199254740993L, 9007199254740994L, "9007199254740993L"));

        cases.onTable("doubles compare with all six operators", table -> compares(table, -1e300, 0.1, 0.2, "0.1"));

        cases.onTable(
                "dates compare with all six operators, down to 100 ns",
                table -> compares(
                        table,
                        Types.date("2020-01-01T00:00:00.1234566Z"),
                        Types.date("2020-01-01T00:00:00.1234567Z"),
                        Types.date("2020-01-01T00:00:00.1234568Z"),
                        "datetime'2020-01-01T00:00:00.1234567Z'"));

        cases.onTable(
                "guids compare with all six operators",
                table -> compares(
                        table,
                        UUID.fromString("10000000-0000-0000-0000-000000000000"),
                        UUID.fromString("20000000-0000-0000-0000-00000000000a"),
                        UUID.fromString("30000000-0000-0000-0000-000000000000"),
                        "guid'20000000-0000-0000-0000-00000000000A'"));

        cases.onTable("binaries compare with all six operators, in both forms of their literals", table -> {
            compares(table, new byte[] {1}, new byte[] {1, 2}, new byte[] {(byte) 200}, "X'0102'");
            Check.equal(List.of("2 mid"), rowKeys(table, "value eq binary'0102'"), "eq");
        });

        cases.onTable("booleans compare with both literals, and stand for themselves", table -> {
            seed(table, "yes", "value", true);
            seed(table, "no", "value", false);
            seed(table, "other", "value", "true");
            Check.equal(List.of("yes"), rowKeys(table, "value eq true"), "eq true");
            Check.equal(List.of("no"), rowKeys(table, "value eq false"), "eq false");
            Check.equal(List.of("yes"), rowKeys(table, "value"), "the property alone");
        });

        cases.onTable("an Int32 literal matches Int64 and Double properties of the same value", table -> {
            seed(table, "int", "value", 5);
            seed(table, "long", "value", 5L);
            seed(table, "double", "value", 5.0);
            seed(table, "text", "value", "5");
            Check.equal(Set.of("int", "long", "double"), Set.copyOf(rowKeys(table, "value eq 5")), "eq");
        });

        cases.onTable("and binds more tightly than or, brackets bind first, not turns around", table -> {
            for (int value = 0; value < 4; value++) {
                seed(table, "r" + value, "value", value);
            }
            Check.equal(
                    List.of("r0", "r2"), rowKeys(table, "value eq 0 or value gt 1 and value lt 3"), "without brackets");
            Check.equal(List.of("r2"), rowKeys(table, "(value eq 0 or value gt 1) and value eq 2"), "with brackets");
            Check.equal(List.of("r0", "r3"), rowKeys(table, "not (value eq 1 or value eq 2)"), "not");
        });

        cases.onTable("a missing property matches no comparison, and the negation of each", table -> {
            seed(table, "with", "value", 1);
            seed(table, "without", "other", 1);
            Check.equal(List.of("with"), rowKeys(table, "value ne 2"), "ne");
            Check.equal(List.of("without"), rowKeys(table, "not (value ne 2)"), "not ne");
            Check.equal(List.of("without"), rowKeys(table, "not (value le 2)"), "not le");
        });

        cases.onTable("quotes, signs and letters in a literal are what they are", table -> {
            List<String> texts =
                    List.of("it's", "''", "a%27b", "a+b", "a b", "50%&a=b", "a#b?c/d\\e", "日本語", "\uD83D\uDE00");
            texts.forEach(text -> seed(table, "r" + texts.indexOf(text), "value", text));
            for (String text : texts) {
                Check.equal(
                        List.of("r" + texts.indexOf(text)), rowKeys(table, "value eq " + quoted(text)), "the row keys");
            }
            Check.equal(List.of(), rowKeys(table, "RowKey eq " + quoted("a/b")), "the row keys");
        });

        cases.onTable("a range of row keys finds those with a prefix", table -> {
            for (String rowKey : List.of("a", "ab", "ab1", "abz", "ac", "Ab")) {
                seed(table, rowKey, "value", 1);
            }
            Check.equal(
                    List.of("ab", "ab1", "abz"),
                    rowKeys(table, "PartitionKey eq 'p' and RowKey ge 'ab' and RowKey lt 'ac'"),
                    "the row keys");
        });

        cases.onTable("a range of partition keys finds those inside it only", table -> {
            for (String partitionKey : List.of("a", "b", "c", "d")) {
                table.createEntity(new TableEntity(partitionKey, "of " + partitionKey));
            }
            Check.equal(
                    List.of("of b", "of c"),
                    rowKeys(table, "PartitionKey gt 'a' and PartitionKey le 'c'"),
                    "the row keys");
            Check.equal(
                    List.of("of a", "of d"),
                    rowKeys(table, "PartitionKey eq 'a' or PartitionKey eq 'd'"),
                    "the row keys");
        });

        cases.onTable("Timestamp finds what was written at an instant, since it and before it", table -> {
            for (String rowKey : List.of("a", "b", "c")) {
                seed(table, rowKey, "value", 1);
            }
            OffsetDateTime instant = table.getEntity("p", "b").getTimestamp();
            String literal = "datetime'" + DateTimeFormatter.ISO_OFFSET_DATE_TIME.format(instant) + "'";
            Check.equal(List.of("b"), rowKeys(table, "Timestamp eq " + literal), "at it");
            Check.equal(List.of("b", "c"), rowKeys(table, "Timestamp ge " + literal), "since it");
            Check.equal(List.of("a"), rowKeys(table, "Timestamp lt " + literal), "before it");
        });

        cases.onTable("a literal may stand on the left", table -> {
            seed(table, "a", "value", 1);
            seed(table, "b", "value", 3);
            Check.equal(List.of("b"), rowKeys(table, "2 lt value"), "the row keys");
        });

        cases.onTable("a filter of a hundred alternatives finds them all", table -> {
            table.submitTransaction(Transactions.creations(100));
            String filter = IntStream.range(0, 100)
                    .mapToObj(index -> "value eq " + index)
                    .collect(Collectors.joining(" or "));
            Check.equal(100, entities(table, filter).size(), "the number of entities");
        });

        cases.onTable("a filter that is none is refused with 400 InvalidInput", table -> {
            for (String filter : List.of("aaa bbb ccc", "value eq", "value eq 'open", "(value eq 1", "value EQ 1")) {
                Check.refused(400, "InvalidInput", () -> entities(table, filter));
            }
        });

        cases.onTable(
                "comparing two properties is refused with 501 NotImplemented",
                table -> Check.refused(501, "NotImplemented", () -> entities(table, "PartitionKey eq RowKey")));

        cases.onTable("a projection gives the properties that it names, and the tag", table -> {
            table.createEntity(new TableEntity("p", "r")
                    .addProperty("a", 1)
                    .addProperty("b", 2L)
                    .addProperty("c", "3"));
            String tag = table.getEntity("p", "r").getETag();
            for (TableEntity read : List.of(project(table, "a", "b"), projectPoint(table, "a", "b"))) {
                Check.equal(1, read.getProperty("a"), "a");
                Check.equal(2L, read.getProperty("b"), "b");
                Check.equal(tag, read.getETag(), "the tag");
                for (String name : List.of("c", "PartitionKey", "RowKey", "Timestamp")) {
                    Check.that(!read.getProperties().containsKey(name), name + " was not selected");
                }
            }
        });

        cases.onTable("a projection shows a property that is missing as null", table -> {
            table.createEntity(new TableEntity("p", "r").addProperty("a", 1));
            for (TableEntity read : List.of(project(table, "a", "b"), projectPoint(table, "a", "b"))) {
                Check.equal(1, read.getProperty("a"), "a");
                Check.that(read.getProperties().containsKey("b") && read.getProperty("b") == null, "b is not null");
            }
        });

        cases.onTable("a projection of the keys gives the keys alone", table -> {
            table.createEntity(new TableEntity("p", "r").addProperty("a", 1));
            for (TableEntity read :
                    List.of(project(table, "PartitionKey", "RowKey"), projectPoint(table, "PartitionKey", "RowKey"))) {
                Check.equal("p", read.getPartitionKey(), "the partition key");
                Check.equal("r", read.getRowKey(), "the row key");
                Check.equal(null, read.getTimestamp(), "the Timestamp");
                Check.that(!read.getProperties().containsKey("a"), "a was not selected");
            }
        });

        cases.onTable("a filter may use what the projection leaves out", table -> {
            table.createEntity(new TableEntity("p", "r").addProperty("a", 1).addProperty("b", 2));
            table.createEntity(new TableEntity("p", "s").addProperty("a", 3).addProperty("b", 4));
            ListEntitiesOptions options =
                    new ListEntitiesOptions().setSelect(List.of("a")).setFilter("b eq 4");
            Check.equal(
                    List.of(3),
                    table.listEntities(options, null, null).stream()
                            .map(read -> read.getProperty("a"))
                            .toList(),
                    "the values");
        });
    }

    static List<TableEntity> entities(TableClient table, String filter) {
        return table.listEntities(new ListEntitiesOptions().setFilter(filter), null, null).stream()
                .toList();
    }

    static String quoted(String text) {
        return "'" + text.replace("'", "''") + "'";
    }

    static List<String> rowKeys(TableClient table, String filter) {
        return entities(table, filter).stream().map(TableEntity::getRowKey).toList();
    }

    /** Three values, and an entity without any, compared with the literal of the one in the middle. */
    private static void compares(TableClient table, Object low, Object mid, Object high, String literal) {
        seed(table, "1 low", "value", low);
        seed(table, "2 mid", "value", mid);
        seed(table, "3 high", "value", high);
        seed(table, "4 none", "other", mid);
        Check.equal(List.of("2 mid"), rowKeys(table, "value eq " + literal), "eq");
        Check.equal(List.of("1 low", "3 high"), rowKeys(table, "value ne " + literal), "ne");
        Check.equal(List.of("1 low"), rowKeys(table, "value lt " + literal), "lt");
        Check.equal(List.of("1 low", "2 mid"), rowKeys(table, "value le " + literal), "le");
        Check.equal(List.of("3 high"), rowKeys(table, "value gt " + literal), "gt");
        Check.equal(List.of("2 mid", "3 high"), rowKeys(table, "value ge " + literal), "ge");
    }

    private static void seed(TableClient table, String rowKey, String name, Object value) {
        table.createEntity(new TableEntity("p", rowKey).addProperty(name, value));
    }

    private static TableEntity project(TableClient table, String... names) {
        ListEntitiesOptions options = new ListEntitiesOptions().setSelect(List.of(names));
        return table.listEntities(options, null, null).stream().toList().get(0);
    }

    private static TableEntity projectPoint(TableClient table, String... names) {
        return table.getEntityWithResponse("p", "r", List.of(names), null, null).getValue();
    }
}
