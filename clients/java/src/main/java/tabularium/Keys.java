package tabularium;

import com.azure.data.tables.TableClient;
import com.azure.data.tables.models.TableEntity;
import com.azure.data.tables.models.TableEntityUpdateMode;
import com.azure.data.tables.models.TableTransactionAction;
import com.azure.data.tables.models.TableTransactionActionType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

final class Keys {
    private static final Map<String, String> KINDS = new LinkedHashMap<>();

    static {
        KINDS.put("a quote", "O'Hara");
        KINDS.put("nothing but a quote", "'");
        KINDS.put("doubled quotes", "a''b''''");
        KINDS.put("double quotes", "say \"hi\"");
        KINDS.put("a percent sign", "100% %");
        KINDS.put("the text %27", "it%27s");
        KINDS.put("the text %20", "a%20b%2520");
        KINDS.put("a plus", "a+b+");
        KINDS.put("spaces inside", "a  b c");
        KINDS.put("spaces at the ends", " a ");
        KINDS.put("a comma and text like the other key", "a,RowKey='b'");
        KINDS.put("parentheses", ")(a)(");
        KINDS.put("an equals sign", "=a=b=");
        KINDS.put("an ampersand", "a&b&comp=acl");
        KINDS.put("other punctuation", "!$*-._~:;@^|`[]{}<>");
        KINDS.put("Unicode", "Zoë 日本語 ключ");
        KINDS.put("supplementary characters", "\uD83D\uDE00\uD834\uDD1E");
    }

    private Keys() {}

    static void add(Cases cases) {
        KINDS.forEach((kind, key) -> {
            cases.onTable("keys with " + kind + " live through every operation", table -> life(table, key, key));
            cases.onTable(
                    "keys with " + kind + " live through transactions", table -> lifeInTransactions(table, key, key));
        });

        cases.onTable("an empty partition key lives through every operation", table -> life(table, "", "r"));
        cases.onTable("an empty row key lives through every operation", table -> life(table, "p", ""));
        cases.onTable("two empty keys live through every operation", table -> life(table, "", ""));
        cases.onTable("empty keys live through transactions", table -> {
            lifeInTransactions(table, "", "r");
            lifeInTransactions(table, "p", "");
            lifeInTransactions(table, "", "");
        });

        cases.onTable("keys that differ by their encoding only are different entities", table -> {
            List<String> keys =
                    List.of("a'b", "a''b", "a%27b", "a%2527b", "a b", "a+b", "a%20b", "a%2Bb", "A'b", "a'b ");
            for (String key : keys) {
                table.createEntity(new TableEntity(key, key).addProperty("own", key));
            }
            for (String key : keys) {
                Check.equal(key, table.getEntity(key, key).getProperty("own"), "the entity's own text");
            }
        });

        cases.onTable("characters that keys cannot have are refused in an insert with 400 OutOfRangeInput", table -> {
            for (String character : new String[] {"/", "\\", "#", "?", "\t", "\n", "\u0080"}) {
                Check.refused(400, "OutOfRangeInput", () -> table.createEntity(new TableEntity("a" + character, "r")));
                Check.refused(400, "OutOfRangeInput", () -> table.createEntity(new TableEntity("p", character + "b")));
            }
        });

        cases.onTable("a slash in an address is refused with 400 InvalidInput", table -> {
            for (String slash : new String[] {"/", "\\"}) {
                Check.refused(400, "InvalidInput", () -> table.getEntity("a" + slash + "b", "r"));
                Check.refused(400, "InvalidInput", () -> table.upsertEntity(new TableEntity("p", slash)));
            }
        });

        cases.onTable("a hash or question mark in an address is not found, and refused in a write with 400", table -> {
            for (String character : new String[] {"#", "?"}) {
                Check.refused(404, "ResourceNotFound", () -> table.getEntity("p", "a" + character));
                Check.refused(400, "OutOfRangeInput", () -> table.upsertEntity(new TableEntity("p", "a" + character)));
            }
        });
    }

    private static void life(TableClient table, String partitionKey, String rowKey) throws Exception {
        table.createEntity(
                new TableEntity(partitionKey, rowKey).addProperty("step", 1).addProperty("kept", "yes"));
        sees(table, partitionKey, rowKey, 1, "yes");
        Check.refused(409, "EntityAlreadyExists", () -> table.createEntity(new TableEntity(partitionKey, rowKey)));

        table.updateEntity(new TableEntity(partitionKey, rowKey).addProperty("step", 2), TableEntityUpdateMode.MERGE);
        sees(table, partitionKey, rowKey, 2, "yes");

        TableEntity read = table.getEntity(partitionKey, rowKey).addProperty("step", 3);
        table.updateEntityWithResponse(read, TableEntityUpdateMode.REPLACE, true, null, null);
        sees(table, partitionKey, rowKey, 3, "yes");

        table.upsertEntity(new TableEntity(partitionKey, rowKey).addProperty("step", 4));
        sees(table, partitionKey, rowKey, 4, "yes");

        table.upsertEntityWithResponse(
                new TableEntity(partitionKey, rowKey).addProperty("step", 5),
                TableEntityUpdateMode.REPLACE,
                null,
                null);
        sees(table, partitionKey, rowKey, 5, null);

        Check.equal(
                204,
                table.deleteEntityWithResponse(table.getEntity(partitionKey, rowKey), true, null, null)
                        .getStatusCode(),
                "the status of the deletion");
        Check.refused(404, "ResourceNotFound", () -> table.getEntity(partitionKey, rowKey));
    }

    private static void lifeInTransactions(TableClient table, String partitionKey, String rowKey) throws Exception {
        TableEntity first =
                new TableEntity(partitionKey, rowKey).addProperty("step", 1).addProperty("kept", "yes");
        TableEntity second = new TableEntity(partitionKey, rowKey + "2").addProperty("step", 1);
        submit(table, TableTransactionActionType.CREATE, first, TableTransactionActionType.UPSERT_REPLACE, second);
        sees(table, partitionKey, rowKey, 1, "yes");
        sees(table, partitionKey, rowKey + "2", 1, null);

        submit(
                table,
                TableTransactionActionType.UPDATE_MERGE,
                new TableEntity(partitionKey, rowKey).addProperty("step", 2),
                TableTransactionActionType.UPDATE_REPLACE,
                second.addProperty("step", 2));
        sees(table, partitionKey, rowKey, 2, "yes");
        sees(table, partitionKey, rowKey + "2", 2, null);

        submit(
                table,
                TableTransactionActionType.UPSERT_MERGE,
                new TableEntity(partitionKey, rowKey).addProperty("step", 3),
                TableTransactionActionType.DELETE,
                second);
        sees(table, partitionKey, rowKey, 3, "yes");
        Check.refused(404, "ResourceNotFound", () -> table.getEntity(partitionKey, rowKey + "2"));
    }

    private static void submit(
            TableClient table,
            TableTransactionActionType firstType,
            TableEntity first,
            TableTransactionActionType secondType,
            TableEntity second) {
        table.submitTransaction(
                List.of(new TableTransactionAction(firstType, first), new TableTransactionAction(secondType, second)));
    }

    /** The entity as a point read and as a query show it. */
    private static void sees(TableClient table, String partitionKey, String rowKey, int step, String kept) {
        String filter = "PartitionKey eq " + Queries.quoted(partitionKey) + " and RowKey eq " + Queries.quoted(rowKey);
        List<TableEntity> found = Queries.entities(table, filter);
        Check.equal(1, found.size(), "the number of entities that the query finds");
        for (TableEntity entity : List.of(table.getEntity(partitionKey, rowKey), found.get(0))) {
            Check.equal(partitionKey, entity.getPartitionKey(), "the partition key");
            Check.equal(rowKey, entity.getRowKey(), "the row key");
            Check.equal(step, entity.getProperty("step"), "the step");
            Check.equal(kept, entity.getProperty("kept"), "what a merge keeps");
        }
    }
}
