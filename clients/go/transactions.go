package main

import (
	"fmt"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
)

type action = aztables.TransactionAction

func submit(table *aztables.Client, actions ...action) error {
	_, err := table.SubmitTransaction(background, actions, nil)
	return err
}

// adding is an insert into partition p.
func adding(rowKey string, others members) action {
	return action{ActionType: aztables.TransactionTypeAdd, Entity: entity("p", rowKey, others)}
}

// doing is another operation on an entity of partition p, under the condition of a tag when there is one.
func doing(kind aztables.TransactionType, rowKey string, others members, tag *azcore.ETag) action {
	return action{ActionType: kind, Entity: entity("p", rowKey, others), IfMatch: tag}
}

// addingMany inserts the rows 000, 001 and so on.
func addingMany(count int) []action {
	actions := make([]action, count)
	for i := range actions {
		actions[i] = adding(fmt.Sprintf("%03d", i), members{"Index": i})
	}
	return actions
}

func transactionCases() []behaviour {
	return []behaviour{
		{"a transaction holds all kinds of operations", func(a *account) {
			table := a.table()
			for _, rowKey := range []string{"deleted", "insertMerged", "insertReplaced", "merged", "replaced"} {
				add(table, "p", rowKey, members{"Old": true})
			}
			any := to.Ptr(azcore.ETagAny)
			succeeds(submit(table,
				adding("added", members{"New": true}),
				doing(aztables.TransactionTypeUpdateMerge, "merged", members{"New": true}, any),
				doing(aztables.TransactionTypeUpdateReplace, "replaced", members{"New": true}, any),
				doing(aztables.TransactionTypeInsertMerge, "insertMerged", members{"New": true}, nil),
				doing(aztables.TransactionTypeInsertReplace, "insertReplaced", members{"New": true}, nil),
				doing(aztables.TransactionTypeInsertMerge, "created", members{"New": true}, nil),
				doing(aztables.TransactionTypeInsertReplace, "put", members{"New": true}, nil),
				doing(aztables.TransactionTypeDelete, "deleted", nil, nil),
			))
			found := map[string]members{}
			for _, row := range all(table, nil) {
				found[row["RowKey"].(string)] = custom(row)
			}
			both, new := members{"Old": true, "New": true}, members{"New": true}
			equal("rows", found, map[string]members{
				"added": new, "merged": both, "replaced": new, "insertMerged": both, "insertReplaced": new,
				"created": new, "put": new,
			})
		}},
		{"a transaction of one operation succeeds", func(a *account) {
			table := a.table()
			succeeds(submit(table, adding("r", nil)))
			get(table, "p", "r")
		}},
		{"a transaction of 100 operations succeeds", func(a *account) {
			table := a.table()
			succeeds(submit(table, addingMany(100)...))
			equal("rows", len(all(table, nil)), 100)
		}},
		{"a transaction under current tags succeeds", func(a *account) {
			table := a.table()
			first, second := add(table, "p", "1", nil), add(table, "p", "2", nil)
			third := add(table, "p", "3", nil)
			succeeds(submit(table,
				doing(aztables.TransactionTypeUpdateMerge, "1", members{"New": true}, &first),
				doing(aztables.TransactionTypeUpdateReplace, "2", members{"New": true}, &second),
				doing(aztables.TransactionTypeDelete, "3", nil, &third),
			))
			equal("rows", matching(table, "New eq true"), []string{"1", "2"})
			isMissing(table, "p", "3")
		}},
		{"a transaction keeps all types", func(a *account) {
			table := a.table()
			properties := members{
				"String": "s", "Boolean": true, "Int32": int32(7), "Int64": aztables.EDMInt64(1 << 60),
				"Double": 7.5, "DateTime": instant("2020-02-29T12:00:00.1234567Z"),
				"Guid": aztables.EDMGUID("c9da6455-213d-42c9-9a79-3e9149a57833"), "Binary": aztables.EDMBinary{0, 1},
			}
			kinds := []aztables.TransactionType{
				aztables.TransactionTypeAdd, aztables.TransactionTypeInsertMerge, aztables.TransactionTypeInsertReplace,
			}
			actions := []action{}
			for _, kind := range kinds {
				actions = append(actions, action{ActionType: kind, Entity: typedEntity("p", string(kind), properties)})
			}
			succeeds(submit(table, actions...))
			for _, kind := range kinds {
				equal(string(kind), getTyped(table, "p", string(kind)), properties)
			}
		}},
		{"values that look like the format of a transaction are values", func(a *account) {
			table := a.table()
			properties := members{
				"Delimiter": "\r\n--changeset_1\r\n--batch_1--\r\n", "Braces": "{}}{{", "Escapes": `\r\n\"`,
				"Request": "DELETE /t HTTP/1.1\r\nIf-Match: *\r\n\r\n",
			}
			succeeds(submit(table, adding("1", properties), adding("2", properties)))
			equal("first", custom(get(table, "p", "1")), properties)
			equal("second", custom(get(table, "p", "2")), properties)
		}},
		{"a merge in a transaction leaves what is null", func(a *account) {
			table := a.table()
			add(table, "p", "r", members{"Kept": "k"})
			change := members{"Kept": nil, "New": 1}
			succeeds(submit(table, doing(aztables.TransactionTypeInsertMerge, "r", change, nil)))
			equal("members", custom(get(table, "p", "r")), members{"Kept": "k", "New": 1.0})
		}},
		{"a reader never sees half of a transaction", func(a *account) {
			table := a.table()
			write := func(round int) error {
				actions := make([]action, 10)
				for i := range actions {
					content := members{"Round": round}
					actions[i] = doing(aztables.TransactionTypeInsertReplace, fmt.Sprint(i), content, nil)
				}
				return submit(table, actions...)
			}
			succeeds(write(0))
			done := make(chan error, 1)
			go func() {
				var err error
				for round := 1; round <= 20 && err == nil; round++ {
					err = write(round)
				}
				done <- err
			}()
			for {
				select {
				case err := <-done:
					succeeds(err)
					equal("rows of the last round", len(matching(table, "Round eq 20")), 10)
					return
				default:
					rows := all(table, nil)
					for _, row := range rows {
						equal("round", row["Round"], rows[0]["Round"])
					}
				}
			}
		}},
	}
}

// wholeRefused is the behaviour that a transaction is refused for the operation of this index, and that
// nothing of it is written. The table holds the row "there" before.
func wholeRefused(name string, index, status int, code string, actions func(there azcore.ETag) []action) behaviour {
	return behaviour{name, func(a *account) {
		table := a.table()
		tag := add(table, "p", "there", members{"Word": "w"})
		refusedAt(submit(table, actions(tag)...), index, status, code)
		rows := all(table, nil)
		equal("rows", rowKeys(rows), []string{"there"})
		equal("tag", rows[0]["odata.etag"], any(string(tag)))
	}}
}

func failedTransactionCases() []behaviour {
	stale := to.Ptr(azcore.ETag(`W/"datetime'2020-01-01T00%3A00%3A00Z'"`))
	return []behaviour{
		wholeRefused("a conflict refuses the whole transaction and tells the index", 2, 409, "EntityAlreadyExists",
			func(azcore.ETag) []action {
				return []action{adding("1", nil), adding("2", nil), adding("there", nil), adding("3", nil)}
			}),
		wholeRefused("writes before the one that is refused are taken back", 1, 409, "EntityAlreadyExists",
			func(tag azcore.ETag) []action {
				return []action{
					doing(aztables.TransactionTypeInsertReplace, "1", nil, nil), adding("there", members{"Word": "x"}),
				}
			}),
		wholeRefused("an update of what is not there refuses the whole transaction", 1, 404, "ResourceNotFound",
			func(azcore.ETag) []action {
				return []action{
					adding("1", nil), doing(aztables.TransactionTypeUpdateMerge, "2", nil, to.Ptr(azcore.ETagAny)),
				}
			}),
		wholeRefused("a delete of what is not there refuses the whole transaction", 1, 404, "ResourceNotFound",
			func(azcore.ETag) []action {
				return []action{
					doing(aztables.TransactionTypeDelete, "there", nil, nil),
					doing(aztables.TransactionTypeDelete, "2", nil, nil),
				}
			}),
		wholeRefused("an update under a stale tag refuses the whole transaction", 1, 412, "UpdateConditionNotSatisfied",
			func(azcore.ETag) []action {
				return []action{
					adding("1", nil),
					doing(aztables.TransactionTypeUpdateReplace, "there", members{"Word": "x"}, stale),
				}
			}),
		wholeRefused("a delete under a stale tag refuses the whole transaction", 1, 412, "UpdateConditionNotSatisfied",
			func(azcore.ETag) []action {
				return []action{adding("1", nil), doing(aztables.TransactionTypeDelete, "there", nil, stale)}
			}),
		wholeRefused("101 operations are refused", 99, 400, "InvalidInput",
			func(azcore.ETag) []action { return addingMany(101) }),
		wholeRefused("two partitions are refused", 1, 400, "CommandsInBatchActOnDifferentPartitions",
			func(azcore.ETag) []action {
				other := action{ActionType: aztables.TransactionTypeAdd, Entity: entity("q", "2", nil)}
				return []action{adding("1", nil), other, adding("3", nil)}
			}),
		wholeRefused("the same row twice is refused", 2, 400, "InvalidDuplicateRow",
			func(azcore.ETag) []action {
				return []action{
					adding("1", nil), adding("2", nil), doing(aztables.TransactionTypeInsertMerge, "1", nil, nil),
				}
			}),
		wholeRefused("a value that is too large refuses the whole transaction", 1, 400, "PropertyValueTooLarge",
			func(azcore.ETag) []action {
				return []action{adding("1", nil), adding("2", members{"Text": strings.Repeat("a", 32*1024+1)})}
			}),
		{"a transaction on a table that is not there is refused", func(a *account) {
			_, table := a.namedTable()
			refusedAt(submit(table, adding("1", nil), adding("2", nil)), 0, 404, "TableNotFound")
		}},
		{"a transaction of more than 4 MiB is refused", func(a *account) {
			table := a.table()
			actions := []action{}
			for i := range 70 {
				actions = append(actions, adding(fmt.Sprint(i), members{
					"Text1": strings.Repeat("a", 31*1024), "Text2": strings.Repeat("b", 31*1024),
				}))
			}
			refused(submit(table, actions...), 413, "RequestBodyTooLarge")
			equal("rows", len(all(table, nil)), 0)
		}},
		{"a table goes on after a transaction that was refused", func(a *account) {
			table := a.table()
			add(table, "p", "there", nil)
			refusedAt(submit(table, adding("1", nil), adding("there", nil)), 1, 409, "EntityAlreadyExists")
			succeeds(submit(table, adding("1", nil), adding("2", nil)))
			equal("rows", rowKeys(all(table, nil)), []string{"1", "2", "there"})
		}},
	}
}
