package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
)

// comparing is the behaviour that all six operators compare a property with a literal. The values are in
// ascending order, each in a row of its own named by its index, and a further row lacks the property. Each of
// the literals stands for the value of that index.
func comparing(what string, values []any, index int, literals ...string) behaviour {
	return behaviour{"all operators compare " + what, func(a *account) {
		table := a.table()
		for i, value := range values {
			must(table.AddEntity(background, typedEntity("p", fmt.Sprint(i), members{"Value": value}), nil))
		}
		add(table, "p", "without", nil)
		compareAll(table, "Value", len(values), index, literals...)
	}}
}

// compareAll compares the rows 0, 1 and so on with each literal, which stands for the value of a row.
func compareAll(table *aztables.Client, property string, rows, index int, literals ...string) {
	operators := []struct {
		name    string
		matches func(i int) bool
	}{
		{"eq", func(i int) bool { return i == index }},
		{"ne", func(i int) bool { return i != index }},
		{"lt", func(i int) bool { return i < index }},
		{"le", func(i int) bool { return i <= index }},
		{"gt", func(i int) bool { return i > index }},
		{"ge", func(i int) bool { return i >= index }},
	}
	for _, literal := range literals {
		for _, operator := range operators {
			expected := []string{}
			for i := range rows {
				if operator.matches(i) {
					expected = append(expected, fmt.Sprint(i))
				}
			}
			filter := fmt.Sprintf("%s %s %s", property, operator.name, literal)
			equal(filter, matching(table, filter), expected)
		}
	}
}

// selecting is the behaviour that a filter finds these of the rows: "a" to "d" have Number 1 to 4 and Word
// "one" to "four", Even on "b" and "d" only, true on "b".
func selecting(name, filter string, expected ...string) behaviour {
	return behaviour{name, func(a *account) {
		table := a.table()
		add(table, "p", "a", members{"Number": 1, "Word": "one"})
		add(table, "p", "b", members{"Number": 2, "Word": "two", "Even": true})
		add(table, "p", "c", members{"Number": 3, "Word": "three"})
		add(table, "p", "d", members{"Number": 4, "Word": "four", "Even": false})
		equal(filter, matching(table, filter), append([]string{}, expected...))
	}}
}

// filterRefused is the behaviour that a query with this filter is refused.
func filterRefused(name, filter string, status int, code string) behaviour {
	return behaviour{name, func(a *account) {
		_, err := tryAll(a.table(), &aztables.ListEntitiesOptions{Filter: &filter})
		refused(err, status, code)
	}}
}

func filterCases() []behaviour {
	guid := func(first string) aztables.EDMGUID {
		return aztables.EDMGUID(first + "-213d-42c9-9a79-3e9149a57833")
	}
	manyTerms := make([]string, 100)
	for i := range manyTerms {
		manyTerms[i] = fmt.Sprintf("Number eq %d", i+4)
	}
	return []behaviour{
		comparing("String values", []any{"", "B", "a", "aa", "b"}, 2, "'a'"),
		comparing("Boolean values", []any{false, true}, 1, "true"),
		comparing("Int32 values", []any{int32(-5), int32(0), int32(5)}, 0, "-5"),
		comparing("Int64 values", []any{
			aztables.EDMInt64(-1 << 60), aztables.EDMInt64(5), aztables.EDMInt64(1<<60 + 1),
		}, 2, "1152921504606846977L"),
		comparing("Int64 values with a literal of either width",
			[]any{aztables.EDMInt64(4), aztables.EDMInt64(5)}, 1, "5", "5L"),
		comparing("Double values", []any{-2.5, 0.25, 1e10 + 0.5}, 1, "0.25", "2.5e-1", "2.5E-1"),
		{"all operators compare Double values with whole literals", func(a *account) {
			table := a.table()
			for i, value := range []float64{-1, 0, 0.5} {
				add(table, "p", fmt.Sprint(i), members{"Value": value, "Value@odata.type": "Edm.Double"})
			}
			compareAll(table, "Value", 3, 1, "0", "0L", "0.0")
		}},
		comparing("DateTime values", []any{
			instant("1999-12-31T23:59:59.9999999Z"), instant("2000-01-01T00:00:00Z"),
			instant("2000-01-01T00:00:00.0000001Z"),
		}, 1, "datetime'2000-01-01T00:00:00Z'", "datetime'2000-01-01T00:00:00.0000000Z'"),
		comparing("Guid values", []any{guid("19da6455"), guid("59da6455"), guid("c9da6455")}, 1,
			fmt.Sprintf("guid'%s'", guid("59da6455")), fmt.Sprintf("guid'%s'", guid("59DA6455"))),
		comparing("Binary values", []any{
			aztables.EDMBinary{1}, aztables.EDMBinary{1, 2}, aztables.EDMBinary{1, 2, 0}, aztables.EDMBinary{255},
		}, 1, "X'0102'", "x'0102'", "binary'0102'"),
		{"all operators compare partition keys and row keys", func(a *account) {
			table := a.table()
			for i := range 4 {
				add(table, fmt.Sprint(i), fmt.Sprint(i), nil)
			}
			compareAll(table, "PartitionKey", 4, 2, "'2'")
			compareAll(table, "RowKey", 4, 1, "'1'")
		}},
		selecting("and takes what both sides match", "Number gt 1 and Number lt 4", "b", "c"),
		selecting("or takes what either side matches", "Number eq 1 or Word eq 'four'", "a", "d"),
		selecting("not takes what does not match", "not (Number eq 2)", "a", "c", "d"),
		selecting("and binds tighter than or", "Number eq 1 or Number eq 2 and Word eq 'three'", "a"),
		selecting("parentheses bind tightest", "(Number eq 3 or Number eq 2) and Word eq 'three'", "c"),
		selecting("parentheses may be nested", "((Number eq 1) or ((Number eq 2) and (not (Word eq 'x'))))", "a", "b"),
		selecting("a missing property matches no comparison, ne among them", "Even ne true", "d"),
		selecting("not of a comparison with a missing property matches", "not (Even eq true)", "a", "c", "d"),
		selecting("a Boolean property alone is a condition", "Even", "b"),
		selecting("not of a Boolean property is a condition", "not Even and Number gt 3", "d"),
		selecting("the literal may stand on the left", "3 le Number", "c", "d"),
		selecting("a string prefix is a range", "Word ge 't' and Word lt 'u'", "b", "c"),
		selecting("strings are compared by case", "Word eq 'ONE'"),
		selecting("a string never equals a number", "Number eq '1'"),
		selecting("a number of a wider type never equals an Int32", "Number eq 1L or Number eq 1.0"),
		selecting("a filter that is empty is none", "", "a", "b", "c", "d"),
		selecting("a filter may have a hundred terms", strings.Join(manyTerms, " or "), "d"),
		selecting("keys and properties filter together",
			"PartitionKey eq 'p' and RowKey ge 'b' and Number lt 4", "b", "c"),
		selecting("keys and properties may be alternatives", "RowKey eq 'a' or Number eq 4", "a", "d"),
		{"quotes are doubled in literals", func(a *account) {
			table := a.table()
			add(table, "p", "r", members{"Name": "O'Hara", "Odd": "''"})
			add(table, "p", "s", members{"Name": "O''Hara", "Odd": "'"})
			equal("one quote", matching(table, "Name eq 'O''Hara'"), []string{"r"})
			equal("two quotes", matching(table, "Name eq 'O''''Hara'"), []string{"s"})
			equal("nothing but quotes", matching(table, "Odd eq ''''''"), []string{"r"})
		}},
		{"special characters in literals are characters", func(a *account) {
			table := a.table()
			for _, special := range specialKeys {
				add(table, "p", special.key, members{"Value": special.key})
			}
			for _, special := range specialKeys {
				filter := "Value eq '" + strings.ReplaceAll(special.key, "'", "''") + "'"
				equal(special.what, matching(table, filter), []string{special.key})
			}
		}},
		{"characters that keys cannot have match nothing in a filter", func(a *account) {
			table := a.table()
			add(table, "p", "r", nil)
			equal("rows", matching(table, `RowKey eq 'a/b' or RowKey eq 'a\b' or RowKey eq 'a#b?c'`), []string{})
		}},
		{"a Timestamp filters by the time of the write", func(a *account) {
			table := a.table()
			add(table, "p", "first", nil)
			add(table, "p", "second", nil)
			at := get(table, "p", "second")["Timestamp"].(string)
			equal("exactly", matching(table, fmt.Sprintf("Timestamp eq datetime'%s'", at)), []string{"second"})
			equal("before", matching(table, fmt.Sprintf("Timestamp lt datetime'%s'", at)), []string{"first"})
			future := time.Now().UTC().Add(time.Hour).Format(time.RFC3339)
			equal("ahead", matching(table, fmt.Sprintf("Timestamp ge datetime'%s'", future)), []string{})
		}},
		{"a filter may ask for entities of several partitions", func(a *account) {
			table := a.table()
			for _, key := range []string{"1", "2", "3"} {
				add(table, key, key, nil)
			}
			equal("rows", matching(table, "PartitionKey eq '1' or PartitionKey eq '3'"), []string{"1", "3"})
		}},
		filterRefused("a filter that is no expression is refused", "aaa bbb ccc", 400, "InvalidInput"),
		filterRefused("a filter with an open parenthesis is refused", "(Number eq 1", 400, "InvalidInput"),
		filterRefused("a filter with a literal that is malformed is refused", "Value eq guid'12'", 400, "InvalidInput"),
		filterRefused("two properties are not compared", "Number eq Word", 501, "NotImplemented"),
		filterRefused("two literals are not compared", "1 eq 1", 501, "NotImplemented"),
		filterRefused("functions are not implemented", "startswith(Word, 'o')", 501, "NotImplemented"),
		{"a query of a table that is not there is refused", func(a *account) {
			_, table := a.namedTable()
			_, err := tryAll(table, &aztables.ListEntitiesOptions{Filter: to.Ptr("PartitionKey eq 'p'")})
			refused(err, 404, "TableNotFound")
		}},
	}
}
