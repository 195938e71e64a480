package tabularium;

import static com.azure.data.tables.models.TableEntityUpdateMode.MERGE;
import static com.azure.data.tables.models.TableEntityUpdateMode.REPLACE;

import com.azure.core.http.HttpHeaderName;
import com.azure.core.http.rest.Response;
import com.azure.data.tables.TableAsyncClient;
import com.azure.data.tables.TableClient;
import com.azure.data.tables.models.TableEntity;
import com.azure.data.tables.models.TableEntityUpdateMode;
import com.azure.data.tables.models.TableServiceException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

final class Writes {
    private static final String STALE_TAG = "W/\"datetime'2020-01-01T00%3A00%3A00.0000001Z'\"";

    private Writes() {}

    static void add(Cases cases) {
        cases.onTable(
                "inserting an entity twice is refused with 409 EntityAlreadyExists, and changes nothing", table -> {
                    table.createEntity(entity("a", 1));
                    Check.refused(409, "EntityAlreadyExists", () -> table.createEntity(entity("a", 2)));
                    Check.equal(1, read(table).getProperty("a"), "a");
                });

        cases.onTable(
                "a missing entity is refused with 404 ResourceNotFound",
                table -> Check.refused(404, "ResourceNotFound", () -> read(table)));

        cases.add("every operation on a missing table is refused with 404 TableNotFound", () -> {
            TableClient table = Account.SERVICE.getTableClient(Account.freshName());
            Check.refused(404, "TableNotFound", () -> table.createEntity(entity("a", 1)));
            Check.refused(404, "TableNotFound", () -> read(table));
            Check.refused(404, "TableNotFound", () -> table.updateEntity(entity("a", 1)));
            Check.refused(404, "TableNotFound", () -> table.upsertEntity(entity("a", 1)));
            Check.refused(
                    404, "TableNotFound", () -> table.listEntities().stream().count());
        });

        cases.onTable("a refusal is the client's own exception, with its code", table -> {
            try {
                read(table);
            } catch (TableServiceException refusal) {
                Check.equal(404, refusal.getResponse().getStatusCode(), "the status");
                Check.equal(
                        "ResourceNotFound", refusal.getValue().getErrorCode().toString(), "the code");
                Check.that(
                        refusal.getValue().getErrorMessage().startsWith("The specified resource does not exist."),
                        "the message is " + refusal.getValue().getErrorMessage());
                return;
            }
            throw new AssertionError("a missing entity was found");
        });

        cases.onTable("an upsert that replaces creates, and then drops what it does not mention", table -> {
            table.upsertEntityWithResponse(entity("a", 1), REPLACE, null, null);
            Check.equal(1, read(table).getProperty("a"), "a");
            table.upsertEntityWithResponse(entity("b", 2), REPLACE, null, null);
            holds(table, null, 2);
        });

        cases.onTable("an upsert that merges creates, and then keeps what it does not mention", table -> {
            table.upsertEntityWithResponse(entity("a", 1), MERGE, null, null);
            Check.equal(1, read(table).getProperty("a"), "a");
            table.upsertEntityWithResponse(entity("b", 2), MERGE, null, null);
            holds(table, 1, 2);
        });

        cases.onTable("an update that replaces drops what it does not mention", table -> {
            table.createEntity(entity("a", 1));
            table.updateEntity(entity("b", 2), REPLACE);
            holds(table, null, 2);
        });

        cases.onTable("an update that merges keeps what it does not mention, and what it gives as null", table -> {
            table.createEntity(entity("a", 1));
            table.updateEntity(entity("b", 2).addProperty("a", null), MERGE);
            holds(table, 1, 2);
        });

        cases.onTable("a merge changes values and their types", table -> {
            table.createEntity(entity("a", 1).addProperty("b", 2));
            table.updateEntity(entity("a", "text").addProperty("b", 3L), MERGE);
            holds(table, "text", 3L);
        });

        cases.onTable(
                "updates of a missing entity are refused with 404 ResourceNotFound, and create nothing", table -> {
                    for (TableEntityUpdateMode mode : new TableEntityUpdateMode[] {MERGE, REPLACE}) {
                        Check.refused(404, "ResourceNotFound", () -> table.updateEntity(entity("a", 1), mode));
                        Check.refused(404, "ResourceNotFound", () -> updateIfUnchanged(table, tagged(STALE_TAG), mode));
                    }
                    Check.refused(404, "ResourceNotFound", () -> read(table));
                });

        cases.onTable("an empty merge gives a new tag and a later Timestamp", table -> {
            table.createEntity(entity("a", 1));
            TableEntity before = read(table);
            table.updateEntity(new TableEntity("p", "r"), MERGE);
            TableEntity after = read(table);
            Check.equal(1, after.getProperty("a"), "a");
            Check.that(!after.getETag().equals(before.getETag()), "the tag is the same");
            Check.that(after.getTimestamp().isAfter(before.getTimestamp()), "the Timestamp is not later");
        });

        for (TableEntityUpdateMode mode : new TableEntityUpdateMode[] {MERGE, REPLACE}) {
            String verb = mode == MERGE ? "merge" : "replacement";
            cases.onTable("a conditional " + verb + " succeeds with the current tag and gives another", table -> {
                table.createEntity(entity("a", 1));
                TableEntity before = read(table);
                updateIfUnchanged(table, before.addProperty("a", 2), mode);
                TableEntity after = read(table);
                Check.equal(2, after.getProperty("a"), "a");
                Check.that(!after.getETag().equals(before.getETag()), "the tag is the same");
            });

            cases.onTable(
                    "a conditional " + verb + " with a stale tag is refused with 412, and changes nothing", table -> {
                        table.createEntity(entity("a", 1));
                        TableEntity stale = read(table);
                        table.updateEntity(entity("a", 2));
                        TableEntity current = read(table);
                        Check.refused(
                                412,
                                "UpdateConditionNotSatisfied",
                                () -> updateIfUnchanged(table, stale.addProperty("a", 3), mode));
                        Check.equal(2, read(table).getProperty("a"), "a");
                        Check.equal(current.getETag(), read(table).getETag(), "the tag");
                    });
        }

        cases.onTable("a conditional deletion needs the current tag", table -> {
            table.createEntity(entity("a", 1));
            TableEntity stale = read(table);
            table.updateEntity(entity("a", 2));
            Check.refused(
                    412, "UpdateConditionNotSatisfied", () -> table.deleteEntityWithResponse(stale, true, null, null));
            Check.equal(
                    204,
                    table.deleteEntityWithResponse(read(table), true, null, null)
                            .getStatusCode(),
                    "the status");
            Check.refused(404, "ResourceNotFound", () -> read(table));
        });

        // The client swallows the refusal, and shows it in the status only.
        cases.onTable("an unconditional deletion succeeds once, and is answered with 404 the second time", table -> {
            table.createEntity(entity("a", 1));
            Check.equal(204, delete(table).getStatusCode(), "the status");
            Check.equal(404, delete(table).getStatusCode(), "the status");
        });

        cases.onTable("a tag that is no tag is refused with 400 InvalidInput", table -> {
            table.createEntity(entity("a", 1));
            for (String tag : new String[] {"abc", "\"strong\""}) {
                Check.refused(400, "InvalidInput", () -> updateIfUnchanged(table, tagged(tag), REPLACE));
            }
        });

        // The client cuts the closing quote off the tag in the headers.
        cases.onTable(
                "the tag that a write returns is the one that a read shows, and good for the next write", table -> {
                    Response<Void> written = table.createEntityWithResponse(entity("a", 1), null, null);
                    for (TableEntityUpdateMode mode : new TableEntityUpdateMode[] {MERGE, REPLACE, MERGE}) {
                        String tag = written.getHeaders().getValue(HttpHeaderName.ETAG) + "\"";
                        Check.equal(read(table).getETag(), tag, "the tag");
                        written = table.updateEntityWithResponse(tagged(tag), mode, true, null, null);
                    }
                });

        cases.onTable("an entity that was read can be written back as it is", table -> {
            table.createEntity(entity("a", 1L).addProperty("b", Types.date("2020-01-01T00:00:00.1234567Z")));
            updateIfUnchanged(table, read(table), REPLACE);
            updateIfUnchanged(table, read(table), MERGE);
            holds(table, 1L, Types.date("2020-01-01T00:00:00.1234567Z"));
            TableEntity read = read(table);
            table.deleteEntity("p", "r");
            table.createEntity(read);
            holds(table, 1L, Types.date("2020-01-01T00:00:00.1234567Z"));
        });

        cases.onTable("a Timestamp that the client sends is ignored", table -> {
            OffsetDateTime longAgo = Types.date("1999-01-01T00:00:00Z");
            table.createEntity(entity("a", 1).addProperty("Timestamp", longAgo));
            Check.that(read(table).getTimestamp().getYear() > 2000, "the client's Timestamp was stored");
        });

        cases.onTable("every write gives a later Timestamp", table -> {
            OffsetDateTime last = Types.date("1999-01-01T00:00:00Z");
            for (int write = 0; write < 20; write++) {
                table.upsertEntity(entity("a", write));
                OffsetDateTime next = read(table).getTimestamp();
                Check.that(next.isAfter(last), next + " is not after " + last);
                last = next;
            }
        });

        cases.onTable("of racing updates with the same tag exactly one wins", table -> {
            table.createEntity(entity("a", 0));
            TableEntity before = read(table);
            List<String> outcomes = race(
                    index -> updateIfUnchanged(table, tagged(before.getETag()).addProperty("a", index), REPLACE));
            Check.equal(1L, outcomes.stream().filter("done"::equals).count(), "the number of winners");
            Check.equal(7L, outcomes.stream().filter("412"::equals).count(), "the number of refusals with 412");
        });

        cases.onTable("of racing inserts exactly one wins", table -> {
            List<String> outcomes = race(index -> table.createEntity(entity("a", index)));
            Check.equal(1L, outcomes.stream().filter("done"::equals).count(), "the number of winners");
            Check.equal(7L, outcomes.stream().filter("409"::equals).count(), "the number of refusals with 409");
        });

        cases.onTable("the asynchronous client writes, reads, is refused, and deletes", table -> {
            TableAsyncClient other = Account.asynchronous(table);
            other.createEntity(entity("a", 1)).block();
            Check.refused(409, "EntityAlreadyExists", () -> other.createEntity(entity("a", 1))
                    .block());
            other.upsertEntity(entity("b", 2)).block();
            TableEntity read = other.getEntity("p", "r").block();
            holds(table, 1, 2);
            Check.equal(2, read.getProperty("b"), "b");
            other.deleteEntity(read).block();
            Check.refused(
                    404, "ResourceNotFound", () -> other.getEntity("p", "r").block());
        });
    }

    private interface Attempt {
        void run(int index);
    }

    /** Eight at once: "done", or the status of the refusal. */
    private static List<String> race(Attempt attempt) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            List<Callable<String>> attempts = IntStream.range(0, 8)
                    .<Callable<String>>mapToObj(index -> () -> {
                        try {
                            attempt.run(index);
                            return "done";
                        } catch (TableServiceException refusal) {
                            return String.valueOf(refusal.getResponse().getStatusCode());
                        }
                    })
                    .toList();
            List<String> outcomes = new ArrayList<>();
            for (Future<String> outcome : threads.invokeAll(attempts)) {
                outcomes.add(outcome.get());
            }
            return outcomes;
        } finally {
            threads.shutdown();
        }
    }

    private static TableEntity entity(String name, Object value) {
        return new TableEntity("p", "r").addProperty(name, value);
    }

    private static TableEntity tagged(String tag) {
        return new TableEntity("p", "r").addProperty("odata.etag", tag);
    }

    private static TableEntity read(TableClient table) {
        return table.getEntity("p", "r");
    }

    private static void updateIfUnchanged(TableClient table, TableEntity entity, TableEntityUpdateMode mode) {
        table.updateEntityWithResponse(entity, mode, true, null, null);
    }

    private static Response<Void> delete(TableClient table) {
        return table.deleteEntityWithResponse(new TableEntity("p", "r"), false, null, null);
    }

    /** The values of the properties a and b, where null is none. */
    private static void holds(TableClient table, Object a, Object b) {
        TableEntity read = read(table);
        Check.equal(a, read.getProperty("a"), "a");
        Check.equal(b, read.getProperty("b"), "b");
    }
}
