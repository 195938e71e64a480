package tabularium;

import static com.azure.data.tables.models.TableTransactionActionType.CREATE;
import static com.azure.data.tables.models.TableTransactionActionType.DELETE;
import static com.azure.data.tables.models.TableTransactionActionType.UPDATE_MERGE;
import static com.azure.data.tables.models.TableTransactionActionType.UPDATE_REPLACE;
import static com.azure.data.tables.models.TableTransactionActionType.UPSERT_MERGE;
import static com.azure.data.tables.models.TableTransactionActionType.UPSERT_REPLACE;

import com.azure.data.tables.TableAsyncClient;
import com.azure.data.tables.TableClient;
import com.azure.data.tables.models.TableEntity;
import com.azure.data.tables.models.TableTransactionAction;
import com.azure.data.tables.models.TableTransactionActionResponse;
import com.azure.data.tables.models.TableTransactionActionType;
import com.azure.data.tables.models.TableTransactionFailedException;
import com.azure.data.tables.models.TableTransactionResult;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import reactor.core.publisher.Mono;

final class Transactions {
    private Transactions() {}

    static void add(Cases cases) {
        cases.onTable("a transaction with all kinds of actions does them all", table -> {
            for (String rowKey : List.of("merged", "replaced", "upserted", "deleted")) {
                table.createEntity(entity(rowKey, 1).addProperty("kept", true));
            }
            TableTransactionResult result = table.submitTransaction(List.of(
                    action(CREATE, entity("created", 2)),
                    action(UPDATE_MERGE, entity("merged", 2)),
                    action(UPDATE_REPLACE, entity("replaced", 2)),
                    action(UPSERT_MERGE, entity("upserted", 2)),
                    action(UPSERT_REPLACE, entity("upserted anew", 2)),
                    action(DELETE, entity("deleted", 2))));
            Check.equal(
                    List.of("created null", "merged true", "replaced null", "upserted true", "upserted anew null"),
                    table.listEntities().stream()
                            .map(read -> read.getRowKey() + " " + read.getProperty("kept"))
                            .toList(),
                    "what the table holds");
            Check.that(
                    table.listEntities().stream()
                            .allMatch(read -> read.getProperty("value").equals(2)),
                    "a value was not written");
            Check.equal(List.of(204, 204, 204, 204, 204, 204), statuses(result), "the statuses");
            Check.equal(
                    204,
                    result.getTableTransactionActionResponseByRowKey("replaced").getStatusCode(),
                    "the status");
        });

        cases.onTable("a transaction of 100 actions does them all, in order", table -> {
            TableTransactionResult result = table.submitTransaction(creations(100));
            Check.equal(100, statuses(result).size(), "the number of answers");
            Check.equal(100L, count(table), "the number of entities");
            table.submitTransaction(creations(100).stream()
                    .map(each -> action(DELETE, each.getEntity()))
                    .toList());
            Check.equal(0L, count(table), "the number of entities");
        });

        cases.onTable("a transaction of one action does it", table -> {
            Check.equal(List.of(204), statuses(table.submitTransaction(creations(1))), "the statuses");
            Check.refused(0, "EntityAlreadyExists", table, creations(1));
        });

        cases.onTable("a transaction keeps the types of what it writes", table -> {
            TableEntity entity = entity("r", 3.0)
                    .addProperty("long", 1L << 40)
                    .addProperty("date", Types.date("2020-01-01T00:00:00.1234567Z"))
                    .addProperty("id", UUID.fromString("c9da6455-213d-42c9-9a79-3e9149a57833"))
                    .addProperty("bytes", new byte[] {1, 2, 3})
                    .addProperty("truth", false)
                    .addProperty("int", -5);
            table.submitTransaction(List.of(action(CREATE, entity)));
            TableEntity read = table.getEntity("p", "r");
            for (String name : List.of("value", "long", "date", "id", "bytes", "truth", "int")) {
                Check.equal(entity.getProperty(name), read.getProperty(name), name);
            }
        });

        cases.onTable("text that looks like a part of a transaction is text", table -> {
            List<String> texts = List.of(
                    "--changeset_x",
                    "\r\n--batch_x--\r\n",
                    "HTTP/1.1 404 Not Found\r\n\r\n{}",
                    "POST /x HTTP/1.1",
                    "{\"odata.error\":{}}",
                    "日本語 \uD83D\uDE00");
            List<TableTransactionAction> actions = new ArrayList<>();
            texts.forEach(text -> actions.add(action(CREATE, entity("r" + actions.size(), text))));
            table.submitTransaction(actions);
            Check.equal(
                    texts,
                    table.listEntities().stream()
                            .map(read -> read.getProperty("value"))
                            .toList(),
                    "the texts");
        });

        cases.onTable("a conditional action needs the current tag, and the refusal undoes the others", table -> {
            table.createEntity(entity("r", 1));
            TableEntity stale = table.getEntity("p", "r");
            table.updateEntity(entity("r", 2));
            TableEntity current = table.getEntity("p", "r");
            for (TableTransactionActionType type : List.of(UPDATE_MERGE, UPDATE_REPLACE, DELETE)) {
                Check.refused(
                        1,
                        "UpdateConditionNotSatisfied",
                        table,
                        List.of(action(CREATE, entity("other", 1)), new TableTransactionAction(type, stale, true)));
            }
            Check.equal(1L, count(table), "the number of entities");
            table.submitTransaction(List.of(
                    action(CREATE, entity("other", 1)),
                    new TableTransactionAction(UPDATE_MERGE, current.addProperty("value", 3), true)));
            Check.equal(3, table.getEntity("p", "r").getProperty("value"), "the value");
            table.submitTransaction(List.of(new TableTransactionAction(DELETE, table.getEntity("p", "r"), true)));
            Check.equal(1L, count(table), "the number of entities");
        });

        cases.onTable("a conflict is refused with EntityAlreadyExists and its index, and nothing is written", table -> {
            table.createEntity(entity("2", "first"));
            List<TableTransactionAction> actions = IntStream.range(0, 5)
                    .mapToObj(index -> action(CREATE, entity(String.valueOf(index), "second")))
                    .toList();
            Check.refused(2, "EntityAlreadyExists", table, actions);
            Check.equal(
                    List.of("first"),
                    table.listEntities().stream()
                            .map(read -> read.getProperty("value"))
                            .toList(),
                    "the values");
        });

        cases.onTable(
                "an update or deletion of a missing entity is refused with its index, and nothing is written",
                table -> {
                    for (TableTransactionActionType type : List.of(UPDATE_MERGE, UPDATE_REPLACE, DELETE)) {
                        Check.refused(
                                1,
                                "ResourceNotFound",
                                table,
                                List.of(action(UPSERT_MERGE, entity("a", 1)), action(type, entity("missing", 1))));
                    }
                    Check.equal(0L, count(table), "the number of entities");
                });

        cases.onTable("an entity that may not be is refused with its index, and nothing is written", table -> {
            Check.refused(
                    3,
                    "PropertyNameInvalid",
                    table,
                    with(creations(3), entity("bad", 1).addProperty("a-b", 1)));
            Check.refused(3, "PropertyValueTooLarge", table, with(creations(3), entity("bad", new byte[65537])));
            Check.equal(0L, count(table), "the number of entities");
        });

        cases.onTable("101 actions are refused with InvalidInput, and nothing is written", table -> {
            Check.refused(99, "InvalidInput", table, creations(101));
            Check.equal(0L, count(table), "the number of entities");
        });

        cases.onTable(
                "two partitions are refused with CommandsInBatchActOnDifferentPartitions, nothing is written",
                table -> {
                    Check.refused(
                            1,
                            "CommandsInBatchActOnDifferentPartitions",
                            table,
                            with(creations(1), new TableEntity("other", "r")));
                    Check.equal(0L, count(table), "the number of entities");
                });

        cases.onTable("the same entity twice is refused with InvalidDuplicateRow, and nothing is written", table -> {
            Check.refused(
                    2,
                    "InvalidDuplicateRow",
                    table,
                    List.of(
                            action(CREATE, entity("a", 1)),
                            action(CREATE, entity("b", 1)),
                            action(DELETE, entity("a", 1))));
            Check.equal(0L, count(table), "the number of entities");
        });

        cases.add(
                "a missing table is refused with TableNotFound",
                () -> Check.refused(
                        0, "TableNotFound", Account.SERVICE.getTableClient(Account.freshName()), creations(2)));

        cases.onTable("a transaction above 4 MiB is refused whole with 413 RequestBodyTooLarge", table -> {
            List<TableTransactionAction> actions = IntStream.range(0, 60)
                    .mapToObj(index -> action(CREATE, entity(String.valueOf(index), new byte[60000])))
                    .toList();
            Check.refused(413, "RequestBodyTooLarge", () -> table.submitTransaction(actions));
            Check.equal(0L, count(table), "the number of entities");
            table.submitTransaction(actions.subList(0, 40));
            Check.equal(40L, count(table), "the number of entities");
        });

        cases.onTable("the asynchronous client submits transactions and learns of their failure", table -> {
            TableAsyncClient other = Account.asynchronous(table);
            Check.equal(
                    List.of(204, 204),
                    statuses(other.submitTransaction(creations(2)).block()),
                    "the statuses");
            String index = other.submitTransaction(with(List.of(action(CREATE, entity("new", 1))), entity("000", 1)))
                    .map(result -> "none")
                    .onErrorResume(
                            TableTransactionFailedException.class,
                            refusal -> Mono.just(refusal.getFailedTransactionActionIndex()
                                    + " "
                                    + refusal.getValue().getErrorCode()))
                    .block();
            Check.equal("1 EntityAlreadyExists", index, "the action that failed");
            Check.equal(2L, count(table), "the number of entities");
        });
    }

    static TableTransactionAction action(TableTransactionActionType type, TableEntity entity) {
        return new TableTransactionAction(type, entity);
    }

    /** Insertions into one partition, under the row keys 000, 001 and so on. */
    static List<TableTransactionAction> creations(int count) {
        return IntStream.range(0, count)
                .mapToObj(index -> action(CREATE, entity(String.format("%03d", index), index)))
                .toList();
    }

    private static List<TableTransactionAction> with(List<TableTransactionAction> actions, TableEntity last) {
        List<TableTransactionAction> all = new ArrayList<>(actions);
        all.add(action(CREATE, last));
        return all;
    }

    private static TableEntity entity(String rowKey, Object value) {
        return new TableEntity("p", rowKey).addProperty("value", value);
    }

    private static long count(TableClient table) {
        return table.listEntities().stream().count();
    }

    private static List<Integer> statuses(TableTransactionResult result) {
        return result.getTransactionActionResponses().stream()
                .map(TableTransactionActionResponse::getStatusCode)
                .toList();
    }
}
