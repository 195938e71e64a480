package main

import (
	"slices"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
)

// squared fills a table with the partitions a to d, each of the rows 1 to 3, and opens it by a signature for
// everything in a range.
func squared(a *account, bounds aztables.SASSignatureValues) (byKey, bySignature *aztables.Client) {
	bounds.Permissions = "raud"
	byKey, bySignature = signedTable(a, bounds)
	for _, partitionKey := range []string{"a", "b", "c", "d"} {
		for _, rowKey := range []string{"1", "2", "3"} {
			add(byKey, partitionKey, rowKey, nil)
		}
	}
	return byKey, bySignature
}

func bothKeys(entities []members) []string {
	keys := []string{}
	for _, found := range entities {
		keys = append(keys, found["PartitionKey"].(string)+found["RowKey"].(string))
	}
	return keys
}

// clips is the behaviour that a query by a signature for a range gives these entities of the table alone,
// read at once or one by one.
func clips(name string, bounds aztables.SASSignatureValues, expected ...string) behaviour {
	return behaviour{name, func(a *account) {
		_, bySignature := squared(a, bounds)
		equal("at once", bothKeys(all(bySignature, nil)), expected)
		equal("one by one", bothKeys(all(bySignature, &aztables.ListEntitiesOptions{Top: to.Ptr(int32(1))})), expected)
	}}
}

func rangeSignatureCases() []behaviour {
	partitions := aztables.SASSignatureValues{StartPartitionKey: "b", EndPartitionKey: "c"}
	oneRow := aztables.SASSignatureValues{
		StartPartitionKey: "b", StartRowKey: "2", EndPartitionKey: "b", EndRowKey: "2",
	}
	return []behaviour{
		clips("a query by a signature for partitions gives these partitions",
			partitions, "b1", "b2", "b3", "c1", "c2", "c3"),
		clips("a range of partitions may be open at its end",
			aztables.SASSignatureValues{StartPartitionKey: "c"}, "c1", "c2", "c3", "d1", "d2", "d3"),
		clips("a range of partitions may be open at its start",
			aztables.SASSignatureValues{EndPartitionKey: "b"}, "a1", "a2", "a3", "b1", "b2", "b3"),
		clips("a query by a signature for one row gives this row", oneRow, "b2"),
		clips("a row key bounds its own partition alone",
			aztables.SASSignatureValues{StartPartitionKey: "b", StartRowKey: "3", EndPartitionKey: "d", EndRowKey: "1"},
			"b3", "c1", "c2", "c3", "d1"),
		{"a filter does not reach out of a signature's range", func(a *account) {
			_, bySignature := squared(a, partitions)
			for filter, expected := range map[string][]string{
				"PartitionKey eq 'a'":                        {},
				"PartitionKey eq 'a' and RowKey eq '1'":      {},
				"PartitionKey le 'b'":                        {"b1", "b2", "b3"},
				"RowKey eq '3'":                              {"b3", "c3"},
				"PartitionKey eq 'a' or PartitionKey eq 'c'": {"c1", "c2", "c3"},
				"not (PartitionKey eq 'b')":                  {"c1", "c2", "c3"},
			} {
				equal(filter, bothKeys(all(bySignature, &aztables.ListEntitiesOptions{Filter: &filter})), expected)
			}
		}},
		{"a token from outside does not reach out of a signature's range", func(a *account) {
			byKey, bySignature := squared(a, partitions)
			page := firstPage(byKey, aztables.ListEntitiesOptions{Top: to.Ptr(int32(1))})
			equal("from before", bothKeys(all(bySignature, after(aztables.ListEntitiesOptions{}, page))),
				[]string{"b1", "b2", "b3", "c1", "c2", "c3"})
			page = firstPage(byKey, aztables.ListEntitiesOptions{Top: to.Ptr(int32(10))})
			equal("from behind", bothKeys(all(bySignature, after(aztables.ListEntitiesOptions{}, page))), []string{})
		}},
		{"a point read out of a signature's range finds nothing", func(a *account) {
			_, bySignature := squared(a, oneRow)
			get(bySignature, "b", "2")
			for _, keys := range [][2]string{{"a", "2"}, {"b", "1"}, {"b", "3"}, {"c", "2"}} {
				isMissing(bySignature, keys[0], keys[1])
			}
		}},
		{"an insert out of a signature's range is refused", func(a *account) {
			byKey, bySignature := squared(a, partitions)
			add(bySignature, "b", "new", nil)
			for _, partitionKey := range []string{"", "a", "B", "ca", "d"} {
				_, err := bySignature.AddEntity(background, entity(partitionKey, "new", nil), nil)
				refused(err, 403, "AuthorizationFailure")
			}
			equal("rows", len(all(byKey, nil)), 13)
		}},
		{"updates, upserts and deletes out of a signature's range are refused", func(a *account) {
			byKey, bySignature := squared(a, partitions)
			before := all(byKey, nil)
			for _, partitionKey := range []string{"a", "d"} {
				for _, mode := range bothModes {
					_, err := bySignature.UpdateEntity(background, entity(partitionKey, "1", nil),
						&aztables.UpdateEntityOptions{UpdateMode: mode})
					refused(err, 403, "AuthorizationFailure")
					_, err = bySignature.UpsertEntity(background, entity(partitionKey, "1", nil),
						&aztables.UpsertEntityOptions{UpdateMode: mode})
					refused(err, 403, "AuthorizationFailure")
				}
				_, err := bySignature.DeleteEntity(background, partitionKey, "1", nil)
				refused(err, 403, "AuthorizationFailure")
			}
			equal("entities", all(byKey, nil), before)
		}},
		{"updates, upserts and deletes in a signature's range are permitted", func(a *account) {
			byKey, bySignature := squared(a, partitions)
			for _, mode := range bothModes {
				must(bySignature.UpdateEntity(background, entity("b", "1", nil),
					&aztables.UpdateEntityOptions{UpdateMode: mode}))
				must(bySignature.UpsertEntity(background, entity("c", "9", nil),
					&aztables.UpsertEntityOptions{UpdateMode: mode}))
			}
			must(bySignature.DeleteEntity(background, "b", "1", nil))
			isMissing(byKey, "b", "1")
		}},
		{"a transaction in a signature's range is permitted", func(a *account) {
			byKey, bySignature := squared(a, partitions)
			succeeds(submit(bySignature,
				action{ActionType: aztables.TransactionTypeAdd, Entity: entity("b", "4", nil)},
				action{ActionType: aztables.TransactionTypeInsertMerge, Entity: entity("b", "5", nil)},
				action{ActionType: aztables.TransactionTypeDelete, Entity: entity("b", "1", nil)},
			))
			equal("rows", matching(byKey, "PartitionKey eq 'b'"), []string{"2", "3", "4", "5"})
		}},
		{"a transaction is refused for the operation out of a signature's range", func(a *account) {
			byKey, bySignature := squared(a, aztables.SASSignatureValues{
				StartPartitionKey: "b", StartRowKey: "1", EndPartitionKey: "b", EndRowKey: "5",
			})
			before := all(byKey, nil)
			inside := []action{
				{ActionType: aztables.TransactionTypeAdd, Entity: entity("b", "4", nil)},
				{ActionType: aztables.TransactionTypeDelete, Entity: entity("b", "1", nil)},
			}
			for _, kind := range aztables.PossibleTransactionTypeValues() {
				outside := action{ActionType: kind, Entity: entity("b", "6", nil)}
				refusedAt(submit(bySignature, append(slices.Clone(inside), outside)...), 2, 403, "AuthorizationFailure")
			}
			equal("entities", all(byKey, nil), before)
		}},
		{"the ends of a signature's range may have special characters", func(a *account) {
			for _, special := range specialKeys {
				byKey, bySignature := signedTable(a, aztables.SASSignatureValues{
					Permissions: "r", StartPartitionKey: special.key, EndPartitionKey: special.key,
				})
				add(byKey, special.key, "in", nil)
				add(byKey, special.key+"x", "out", nil)
				equal(special.what, rowKeys(all(bySignature, nil)), []string{"in"})
			}
		}},
		{"a signature whose range was widened or taken away is refused", func(a *account) {
			name, table := a.namedTable()
			must(table.CreateTable(background, nil))
			values := aztables.SASSignatureValues{
				TableName: name, Permissions: "r", ExpiryTime: inAnHour(), StartPartitionKey: "b", EndPartitionKey: "c",
			}
			// As the client writes it, without the ends of the range.
			taken := must(values.Sign(a.credential))
			for _, bounds := range []string{"", "&spk=b", "&epk=c", "&spk=a&epk=c", "&spk=b&epk=d"} {
				_, err := tryAll(openTable(a, name, taken+bounds), nil)
				refused(err, 403, "AuthenticationFailed")
			}
			all(openTable(a, name, taken+"&spk=b&epk=c"), nil)
		}},
	}
}
