package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
)

// specialKeys are legal as partition keys and as row keys, and each has something that a layer on the way
// may take for its own.
var specialKeys = []struct{ what, key string }{
	{"a quote", "O'Hara"},
	{"two quotes in a row", "a''b"},
	{"nothing but quotes", "''''"},
	{"double quotes", `say "hello"`},
	{"a percent sign", "100%"},
	{"the literal text %27", "a%27b"},
	{"the literal text %20", "a%20b"},
	{"the literal text %2F", "a%2Fb"},
	{"the literal text %00", "a%00b"},
	{"a plus", "a+b"},
	{"spaces inside", "a b  c"},
	{"spaces at the ends", "  a  "},
	{"nothing but a space", " "},
	{"a comma", "a,b"},
	{"parentheses", "f(x)"},
	{"an equals sign", "a=b"},
	{"an ampersand", "a&b=c"},
	{"a semicolon and a colon", "a;b:c"},
	{"at, star, dollar and exclamation mark", "a@b*c$d!"},
	{"brackets, braces and angles", "[a]{b}<c>"},
	{"a pipe, a caret, a backtick and a tilde", "a|b^c`d~e"},
	{"dots alone", ".."},
	{"what looks like the next key", "x',RowKey='y"},
	{"what looks like a placeholder", "{rowKey}"},
	{"what looks like a delimiter of a transaction", "--changeset_1--"},
	{"letters with marks", "Grüße aus Ærø"},
	{"marks composed and not", "\u00e9 e\u0301"},
	{"letters of other scripts", "表格-جدول"},
	{"supplementary characters", "😀𝒳"},
	{"a no-break space and the highest character of the basic plane", "a\u00a0b\ufffd\uffee"},
}

// filterFor selects one entity by its keys, quotes doubled as literals demand.
func filterFor(partitionKey, rowKey string) string {
	double := func(key string) string { return strings.ReplaceAll(key, "'", "''") }
	return fmt.Sprintf("PartitionKey eq '%s' and RowKey eq '%s'", double(partitionKey), double(rowKey))
}

func throughEveryOperation(key string) func(a *account) {
	return func(a *account) {
		table := a.table()
		// A neighbour that must be left alone.
		add(table, key, key+"-", nil)
		tag := add(table, key, key, members{"Step": "inserted"})
		found := get(table, key, key)
		equal("keys", []any{found["PartitionKey"], found["RowKey"]}, []any{key, key})
		equal("queried", matching(table, filterFor(key, key)), []string{key})

		_, err := table.AddEntity(background, entity(key, key, nil), nil)
		refused(err, 409, "EntityAlreadyExists")
		tag = must(table.UpdateEntity(background, entity(key, key, members{"Step": "replaced"}),
			&aztables.UpdateEntityOptions{IfMatch: &tag, UpdateMode: aztables.UpdateModeReplace})).ETag
		equal("replaced", get(table, key, key)["Step"], any("replaced"))
		tag = must(table.UpdateEntity(background, entity(key, key, members{"Merged": true}),
			&aztables.UpdateEntityOptions{IfMatch: &tag, UpdateMode: aztables.UpdateModeMerge})).ETag
		equal("merged", custom(get(table, key, key)), members{"Step": "replaced", "Merged": true})
		must(table.DeleteEntity(background, key, key, &aztables.DeleteEntityOptions{IfMatch: &tag}))
		isMissing(table, key, key)

		for _, mode := range []aztables.UpdateMode{aztables.UpdateModeMerge, aztables.UpdateModeReplace} {
			must(table.UpsertEntity(background, entity(key, key, members{"Step": string(mode)}),
				&aztables.UpsertEntityOptions{UpdateMode: mode}))
			equal("upserted", custom(get(table, key, key)), members{"Step": string(mode)})
		}
		equal("rows", len(all(table, nil)), 2)
	}
}

// addressed is an entity for the operations of a transaction that name it by its address: there this client
// leaves it to its caller to double the quotes of the keys.
func addressed(partitionKey, rowKey string, others members) []byte {
	double := func(key string) string { return strings.ReplaceAll(key, "'", "''") }
	return entity(double(partitionKey), double(rowKey), others)
}

func throughTransactions(key string) func(a *account) {
	return func(a *account) {
		table := a.table()
		add(table, key, key+"updated", members{"Step": "before"})
		add(table, key, key+"merged", members{"Step": "before"})
		add(table, key, key+"deleted", nil)
		succeeds(submit(table,
			aztables.TransactionAction{
				ActionType: aztables.TransactionTypeAdd,
				Entity:     entity(key, key+"added", members{"Step": "added"}),
			},
			aztables.TransactionAction{
				ActionType: aztables.TransactionTypeUpdateReplace,
				IfMatch:    to.Ptr(azcore.ETagAny),
				Entity:     addressed(key, key+"updated", members{"Other": "after"}),
			},
			aztables.TransactionAction{
				ActionType: aztables.TransactionTypeUpdateMerge,
				IfMatch:    to.Ptr(azcore.ETagAny),
				Entity:     addressed(key, key+"merged", members{"Other": "after"}),
			},
			aztables.TransactionAction{
				ActionType: aztables.TransactionTypeDelete,
				Entity:     addressed(key, key+"deleted", nil),
			},
			aztables.TransactionAction{
				ActionType: aztables.TransactionTypeInsertReplace,
				Entity:     addressed(key, key+"upserted", members{"Step": "new"}),
			},
		))
		equal("added", custom(get(table, key, key+"added")), members{"Step": "added"})
		equal("updated", custom(get(table, key, key+"updated")), members{"Other": "after"})
		equal("merged", custom(get(table, key, key+"merged")), members{"Step": "before", "Other": "after"})
		equal("upserted", custom(get(table, key, key+"upserted")), members{"Step": "new"})
		isMissing(table, key, key+"deleted")
	}
}

func keyCases() []behaviour {
	cases := []behaviour{}
	for _, special := range specialKeys {
		cases = append(cases,
			behaviour{"keys with " + special.what + " go through every operation", throughEveryOperation(special.key)},
			behaviour{"keys with " + special.what + " go through transactions", throughTransactions(special.key)},
		)
	}
	return append(cases, []behaviour{
		{"an empty row key goes through every operation", func(a *account) {
			table := a.table()
			add(table, "p", "", members{"Step": "inserted"})
			equal("row key", get(table, "p", "")["RowKey"], any(""))
			equal("queried", matching(table, filterFor("p", "")), []string{""})
			must(table.UpdateEntity(background, entity("p", "", members{"Merged": true}), nil))
			equal("merged", custom(get(table, "p", "")), members{"Step": "inserted", "Merged": true})
			must(table.DeleteEntity(background, "p", "", nil))
			isMissing(table, "p", "")
		}},
		// This client refuses to address an entity whose partition key is empty, so it can only be inserted
		// and queried.
		{"an empty partition key is inserted and queried", func(a *account) {
			table := a.table()
			add(table, "", "r", nil)
			add(table, "", "", nil)
			add(table, "p", "r", nil)
			equal("queried", matching(table, "PartitionKey eq ''"), []string{"", "r"})
			_, err := table.AddEntity(background, entity("", "r", nil), nil)
			refused(err, 409, "EntityAlreadyExists")
		}},
		{"an empty partition key is inserted in a transaction", func(a *account) {
			table := a.table()
			succeeds(submit(table,
				aztables.TransactionAction{ActionType: aztables.TransactionTypeAdd, Entity: entity("", "1", nil)},
				aztables.TransactionAction{ActionType: aztables.TransactionTypeAdd, Entity: entity("", "", nil)},
			))
			equal("queried", matching(table, "PartitionKey eq ''"), []string{"", "1"})
		}},
		{"keys that only differ in case are different keys", func(a *account) {
			table := a.table()
			for _, key := range []string{"key", "Key", "KEY"} {
				add(table, key, key, nil)
			}
			equal("rows", rowKeys(all(table, nil)), []string{"KEY", "Key", "key"})
		}},
		{"keys are not unified: composed and decomposed letters are different keys", func(a *account) {
			table := a.table()
			add(table, "p", "\u00e9", nil)
			add(table, "p", "e\u0301", nil)
			equal("rows", rowKeys(all(table, nil)), []string{"e\u0301", "\u00e9"})
		}},
		// What the client's EDMEntity writes for O'Hara is O''Hara, and that is what it then has to be read as.
		{"keys are stored as they stand in the body, quotes that the client doubled among them", func(a *account) {
			table := a.table()
			must(table.AddEntity(background, typedEntity("O'Hara", "it's", nil), nil))
			isMissing(table, "O'Hara", "it's")
			equal("row key", get(table, "O''Hara", "it''s")["RowKey"], any("it''s"))
		}},
		{"the address of a new entity doubles its quotes and escapes the rest", func(a *account) {
			name, table := a.namedTable()
			must(table.CreateTable(background, nil))
			var response *http.Response
			captured := policy.WithCaptureResponse(background, &response)
			must(table.AddEntity(captured, entity("A'aaa\"", "é b", nil), nil))
			equal("Location", response.Header.Get("Location"),
				fmt.Sprintf("%s/%s(PartitionKey='A''aaa%%22',RowKey='%s')", a.endpoint, name, url.PathEscape("é b")))
		}},
		{"keys of 512 characters are keys", func(a *account) {
			table := a.table()
			long := strings.Repeat("ä", 512)
			add(table, long, long, nil)
			equal("row key", get(table, long, long)["RowKey"], any(long))
		}},
		{"a key of 2048 characters is refused", func(a *account) {
			_, err := a.table().AddEntity(background, entity("p", strings.Repeat("a", 2048), nil), nil)
			refused(err, 400, "PropertyValueTooLarge")
		}},
		{"a key with a reserved or control character is not inserted", func(a *account) {
			table := a.table()
			for _, forbidden := range []string{"a/b", `a\b`, "a#b", "a?b", "a\tb", "a\u0080b"} {
				_, err := table.AddEntity(background, entity(forbidden, "r", nil), nil)
				refused(err, 400, "OutOfRangeInput")
				_, err = table.AddEntity(background, entity("p", forbidden, nil), nil)
				refused(err, 400, "OutOfRangeInput")
			}
			equal("entities", len(all(table, nil)), 0)
		}},
		{"a point read by a key with a slash is a syntax error, by a number sign a miss", func(a *account) {
			table := a.table()
			_, err := table.GetEntity(background, "p", "a/b", nil)
			refused(err, 400, "InvalidInput")
			isMissing(table, "p", "a#b")
		}},
		{"a key that is missing is refused", func(a *account) {
			for _, incomplete := range []members{{"PartitionKey": "p"}, {"RowKey": "r"}} {
				var response *http.Response
				// The client reports its own error, the answer behind it is the service's.
				_, err := a.table().AddEntity(policy.WithCaptureResponse(background, &response),
					must(json.Marshal(incomplete)), nil)
				holds(err != nil, "an entity with one key was inserted")
				refused(runtime.NewResponseError(response), 400, "PropertiesNeedValue")
			}
		}},
	}...)
}
