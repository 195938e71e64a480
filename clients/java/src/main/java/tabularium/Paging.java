package tabularium;

import com.azure.core.http.rest.PagedResponse;
import com.azure.data.tables.TableClient;
import com.azure.data.tables.models.ListEntitiesOptions;
import com.azure.data.tables.models.TableEntity;
import com.azure.data.tables.models.TableTransactionAction;
import com.azure.data.tables.models.TableTransactionActionType;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

final class Paging {
    private Paging() {}

    static void add(Cases cases) {
        cases.onTable(
                "more than a thousand entities come in pages of a thousand, each entity once, in order", table -> {
                    List<String> written = fill(table, 1100);
                    List<PagedResponse<TableEntity>> pages = pages(table, new ListEntitiesOptions(), null);
                    Check.equal(List.of(1000, 100), sizes(pages), "the sizes of the pages");
                    Check.equal(written, rowKeys(pages), "the row keys");
                });

        cases.onTable("exactly a thousand entities are one page without a token", table -> {
            fill(table, 1000);
            List<PagedResponse<TableEntity>> pages = pages(table, new ListEntitiesOptions(), null);
            Check.equal(List.of(1000), sizes(pages), "the sizes of the pages");
            Check.equal(null, pages.get(0).getContinuationToken(), "the token");
        });

        cases.onTable("a page is as large as was asked for, with a filter and a projection too", table -> {
            List<String> written = fill(table, 100);
            ListEntitiesOptions options = new ListEntitiesOptions().setTop(7);
            List<PagedResponse<TableEntity>> pages = pages(table, options, null);
            Check.equal(15, pages.size(), "the number of pages");
            Check.equal(7, pages.get(13).getValue().size(), "the size of a page");
            Check.equal(2, pages.get(14).getValue().size(), "the size of the last page");
            Check.equal(written, rowKeys(pages), "the row keys");
            options.setFilter("value ge 50 and value lt 90").setSelect(List.of("RowKey"));
            Check.equal(written.subList(50, 90), rowKeys(pages(table, options, null)), "the row keys");
        });

        cases.onTable("a query goes on from its token in another client", table -> {
            List<String> written = fill(table, 30);
            ListEntitiesOptions options = new ListEntitiesOptions().setTop(10);
            String token = pages(table, options, null).get(0).getContinuationToken();
            Check.equal(
                    written.subList(10, 30), rowKeys(pages(Account.another(table), options, token)), "the row keys");
        });

        cases.onTable("a query goes on from its token when the entity it points at is gone", table -> {
            List<String> written = fill(table, 10);
            ListEntitiesOptions options = new ListEntitiesOptions().setTop(4);
            String token = pages(table, options, null).get(0).getContinuationToken();
            table.deleteEntity("p", written.get(4));
            Check.equal(written.subList(5, 10), rowKeys(pages(table, options, token)), "the row keys");
        });

        cases.onTable("tokens lead through keys with quotes, signs, Unicode, and through empty ones", table -> {
            List<String> keys = List.of("", " ", "%27", "'", "''", "+", ";", "a b", "a;b", "日本", "\uD83D\uDE00");
            for (String partitionKey : keys) {
                for (String rowKey : keys) {
                    table.createEntity(new TableEntity(partitionKey, rowKey));
                }
            }
            List<String> expected = new ArrayList<>();
            keys.stream().sorted().forEach(partitionKey -> keys.stream()
                    .sorted()
                    .forEach(rowKey -> expected.add(partitionKey + "|" + rowKey)));
            for (int size : new int[] {1, 10}) {
                List<String> found = pages(table, new ListEntitiesOptions().setTop(size), null).stream()
                        .flatMap(page -> page.getValue().stream())
                        .map(read -> read.getPartitionKey() + "|" + read.getRowKey())
                        .toList();
                Check.equal(expected, found, "the keys");
            }
        });

        cases.onTable(
                "a page of more than a thousand is refused with 400 InvalidInput",
                table -> Check.refused(
                        400, "InvalidInput", () -> pages(table, new ListEntitiesOptions().setTop(1001), null)));

        cases.onTable("the asynchronous client pages to the end", table -> {
            List<String> written = fill(table, 25);
            List<PagedResponse<TableEntity>> pages = Account.asynchronous(table)
                    .listEntities(new ListEntitiesOptions().setTop(10))
                    .byPage()
                    .collectList()
                    .block();
            Check.equal(List.of(10, 10, 5), sizes(pages), "the sizes of the pages");
            Check.equal(written, rowKeys(pages), "the row keys");
        });
    }

    static List<PagedResponse<TableEntity>> pages(TableClient table, ListEntitiesOptions options, String token) {
        return table.listEntities(options, null, null).streamByPage(token).toList();
    }

    /** The row keys of the entities, in order; each has its number as value. */
    private static List<String> fill(TableClient table, int count) {
        List<TableTransactionAction> actions = IntStream.range(0, count)
                .mapToObj(index -> new TableEntity("p", String.format("%05d", index)).addProperty("value", index))
                .map(entity -> new TableTransactionAction(TableTransactionActionType.CREATE, entity))
                .toList();
        for (int start = 0; start < count; start += 100) {
            table.submitTransaction(actions.subList(start, Math.min(start + 100, count)));
        }
        return actions.stream().map(action -> action.getEntity().getRowKey()).toList();
    }

    private static List<Integer> sizes(List<PagedResponse<TableEntity>> pages) {
        return pages.stream().map(page -> page.getValue().size()).toList();
    }

    private static List<String> rowKeys(List<PagedResponse<TableEntity>> pages) {
        return pages.stream()
                .flatMap(page -> page.getValue().stream())
                .map(TableEntity::getRowKey)
                .toList();
    }
}
