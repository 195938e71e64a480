package main

import (
	"fmt"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
)

func projectionCases() []behaviour {
	selected := func(a *account, names string) members {
		table := a.table()
		must(table.AddEntity(background, typedEntity("p", "r", members{
			"Word": "w", "Big": aztables.EDMInt64(1), "Other": true,
		}), nil))
		found := all(table, &aztables.ListEntitiesOptions{Select: &names})[0]
		holds(found["odata.etag"] != nil, "no tag in %v", found)
		delete(found, "odata.etag")
		return found
	}
	return []behaviour{
		{"$select gives the named properties with their annotations, and no others", func(a *account) {
			equal("members", selected(a, "Word,Big"), members{"Word": "w", "Big": "1", "Big@odata.type": "Edm.Int64"})
		}},
		{"$select gives null for a property that the entity lacks", func(a *account) {
			equal("members", selected(a, "Word,Missing"), members{"Word": "w", "Missing": nil})
		}},
		{"$select gives keys alone", func(a *account) {
			equal("members", selected(a, "PartitionKey,RowKey"), members{"PartitionKey": "p", "RowKey": "r"})
		}},
		{"$select allows spaces around the names", func(a *account) {
			equal("members", selected(a, "Word, Other"), members{"Word": "w", "Other": true})
		}},
		{"$select gives the Timestamp when it is named", func(a *account) {
			holds(selected(a, "Timestamp")["Timestamp"] != nil, "no Timestamp")
		}},
		{"$select tells names apart by case", func(a *account) {
			equal("members", selected(a, "word"), members{"word": nil})
		}},
		{"$select that is empty is none", func(a *account) {
			equal("word", selected(a, "")["Word"], any("w"))
		}},
		{"$select and $filter may name different properties", func(a *account) {
			table := a.table()
			add(table, "p", "a", members{"Number": 1, "Word": "one"})
			add(table, "p", "b", members{"Number": 2, "Word": "two"})
			found := all(table, &aztables.ListEntitiesOptions{Filter: to.Ptr("Number eq 2"), Select: to.Ptr("Word")})
			equal("entities", len(found), 1)
			equal("members", custom(found[0]), members{"Word": "two"})
		}},
		{"$select at no metadata leaves the named properties alone", func(a *account) {
			table := a.table()
			add(table, "p", "r", members{"Word": "w", "Other": 1})
			equal("entities", all(table, &aztables.ListEntitiesOptions{
				Select: to.Ptr("Word"),
				Format: to.Ptr(aztables.MetadataFormatNone),
			}), []members{{"Word": "w"}})
		}},
		{"a query at full metadata tells address and link of each entity", func(a *account) {
			name, table := a.namedTable()
			must(table.CreateTable(background, nil))
			add(table, "p", "r", nil)
			found := all(table, &aztables.ListEntitiesOptions{Format: to.Ptr(aztables.MetadataFormatFull)})[0]
			link := fmt.Sprintf("%s(PartitionKey='p',RowKey='r')", name)
			equal("link", found["odata.editLink"], any(link))
			equal("address", found["odata.id"], any(a.endpoint+"/"+link))
		}},
	}
}

// filled is a table with rows of partition p named 0000, 0001 and so on.
func filled(a *account, count int) *aztables.Client {
	table := a.table()
	for from := 0; from < count; from += 100 {
		actions := []action{}
		for i := from; i < min(from+100, count); i++ {
			actions = append(actions, adding(fmt.Sprintf("%04d", i), members{"Index": i}))
		}
		succeeds(submit(table, actions...))
	}
	return table
}

// pageSizes reads a query page by page and gives how many entities each page has.
func pageSizes(table *aztables.Client, options *aztables.ListEntitiesOptions) []int {
	sizes := []int{}
	for pager := table.NewListEntitiesPager(options); pager.More(); {
		sizes = append(sizes, len(must(pager.NextPage(background)).Entities))
	}
	return sizes
}

// firstPage reads one page.
func firstPage(table *aztables.Client, options aztables.ListEntitiesOptions) aztables.ListEntitiesResponse {
	return must(table.NewListEntitiesPager(&options).NextPage(background))
}

// after are the options that go on behind a page.
func after(options aztables.ListEntitiesOptions, page aztables.ListEntitiesResponse) *aztables.ListEntitiesOptions {
	options.NextPartitionKey, options.NextRowKey = page.NextPartitionKey, page.NextRowKey
	return &options
}

func pagingCases() []behaviour {
	size := func(top int32) aztables.ListEntitiesOptions { return aztables.ListEntitiesOptions{Top: &top} }
	return []behaviour{
		{"more than 1000 entities come in pages of 1000", func(a *account) {
			equal("pages", pageSizes(filled(a, 2150), nil), []int{1000, 1000, 150})
		}},
		{"a page has the size that was asked for, and the last one no token", func(a *account) {
			table := filled(a, 10)
			equal("pages of 4", pageSizes(table, to.Ptr(size(4))), []int{4, 4, 2})
			equal("pages of 5", pageSizes(table, to.Ptr(size(5))), []int{5, 5})
			equal("one page", pageSizes(table, to.Ptr(size(1000))), []int{10})
		}},
		{"a query goes on from its token in a new client", func(a *account) {
			name, table := a.namedTable()
			must(table.CreateTable(background, nil))
			succeeds(submit(table, addingMany(10)...))
			page := firstPage(table, size(7))
			other := must(aztables.NewClientWithSharedKey(a.endpoint+"/"+name, a.credential, clientOptions()))
			equal("rest", rowKeys(all(other, after(size(7), page))), []string{"007", "008", "009"})
		}},
		{"a query with a filter goes on from its token", func(a *account) {
			table := filled(a, 20)
			options := aztables.ListEntitiesOptions{Top: to.Ptr(int32(3)), Filter: to.Ptr("Index ge 15")}
			page := firstPage(table, options)
			equal("entities", len(page.Entities), 3)
			equal("rest", rowKeys(all(table, after(options, page))), []string{"0018", "0019"})
		}},
		{"a query that goes on with another page size misses nothing", func(a *account) {
			table := filled(a, 10)
			equal("pages", pageSizes(table, after(size(4), firstPage(table, size(2)))), []int{4, 4})
		}},
		{"tokens visit every key once, special ones among them", func(a *account) {
			table := a.table()
			add(table, "", "", nil)
			for _, special := range specialKeys {
				add(table, special.key, "", nil)
				add(table, special.key, special.key, nil)
			}
			once := all(table, nil)
			paged := all(table, to.Ptr(size(1)))
			equal("rows", len(paged), 2*len(specialKeys)+1)
			for i := range once {
				equal("partition key", paged[i]["PartitionKey"], once[i]["PartitionKey"])
				equal("row key", paged[i]["RowKey"], once[i]["RowKey"])
			}
		}},
		{"a token outlives the entity that it points at", func(a *account) {
			table := filled(a, 6)
			page := firstPage(table, size(3))
			succeeds(remove(table, "0003", nil))
			equal("rest", rowKeys(all(table, after(size(3), page))), []string{"0004", "0005"})
		}},
		{"a token of a partition key alone goes on at the start of that partition", func(a *account) {
			table := a.table()
			for _, key := range []string{"a", "b", "c"} {
				add(table, key, key+"1", nil)
				add(table, key, key+"2", nil)
			}
			options := *after(size(3), firstPage(table, size(3)))
			options.NextRowKey = nil
			equal("rest", rowKeys(all(table, &options)), []string{"b1", "b2", "c1", "c2"})
		}},
		{"entities come in the order of their keys, by code point", func(a *account) {
			table := a.table()
			for _, key := range []string{"b", "a", "B", "10", "2", "é", "\U0001F600", "表"} {
				add(table, "p", key, nil)
				add(table, key, "r", nil)
			}
			ordered := []string{"10", "2", "B", "a", "b", "é", "表", "\U0001F600"}
			equal("row keys", matching(table, "PartitionKey eq 'p'"), ordered)
			partitions := []string{}
			for _, row := range all(table, &aztables.ListEntitiesOptions{Filter: to.Ptr("RowKey eq 'r'")}) {
				partitions = append(partitions, row["PartitionKey"].(string))
			}
			equal("partition keys", partitions, ordered)
		}},
		{"a page size of nothing gives an empty page", func(a *account) {
			equal("entities", len(firstPage(filled(a, 3), size(0)).Entities), 0)
		}},
		{"a page size below nothing or above 1000 is refused", func(a *account) {
			table := a.table()
			for _, top := range []int32{-1, 1001} {
				_, err := tryAll(table, to.Ptr(size(top)))
				refused(err, 400, "InvalidInput")
			}
		}},
		{"a token that we did not give is refused", func(a *account) {
			_, err := tryAll(filled(a, 3), &aztables.ListEntitiesOptions{
				NextPartitionKey: to.Ptr("nonsense"), NextRowKey: to.Ptr("nonsense"),
			})
			refused(err, 400, "InvalidInput")
		}},
		{"a query without entities is one empty page", func(a *account) {
			equal("pages", pageSizes(a.table(), nil), []int{0})
		}},
		{"entities written while a query is read are not given twice", func(a *account) {
			table := filled(a, 6)
			page := firstPage(table, size(3))
			add(table, "p", "0001x", nil)
			add(table, "p", "0004x", nil)
			equal("rest", rowKeys(all(table, after(size(3), page))), []string{"0003", "0004", "0004x", "0005"})
		}},
	}
}
