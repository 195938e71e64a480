package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
)

// comesBack is the behaviour that these properties are read as they were written, by the client's own types.
func comesBack(name string, properties members) behaviour {
	return behaviour{name, func(a *account) {
		table := a.table()
		must(table.AddEntity(background, typedEntity("p", "r", properties), nil))
		equal("point read", getTyped(table, "p", "r"), properties)
		page := must(table.NewListEntitiesPager(nil).NextPage(background))
		var found aztables.EDMEntity
		succeeds(json.Unmarshal(page.Entities[0], &found))
		equal("query", found.Properties, properties)
	}}
}

// wireText is the body of a point read as it came: the client turns numbers into its own before we see them.
func wireText(table *aztables.Client, partitionKey, rowKey string) string {
	var response *http.Response
	must(table.GetEntity(policy.WithCaptureResponse(background, &response), partitionKey, rowKey, nil))
	return string(must(runtime.Payload(response)))
}

func instant(text string) aztables.EDMDateTime {
	return aztables.EDMDateTime(must(time.Parse(time.RFC3339Nano, text)))
}

func typeCases() []behaviour {
	everyByte := make([]byte, 256)
	for i := range everyByte {
		everyByte[i] = byte(i)
	}
	return []behaviour{
		comesBack("String values come back: empty, spaces, quotes, several lines", members{
			"Empty": "", "Spaces": "  a  b  ", "Quotes": `"double" and 'single'`, "Lines": "a\r\nb\nc\td",
		}),
		comesBack("String values of any script come back, supplementary characters among them", members{
			"Umlaut": "Grüße", "Han": "表格", "Arabic": "جدول", "Emoji": "😀👩‍👩‍👧", "Math": "𝒳𝒴",
		}),
		comesBack("String values that look like other types stay strings", members{
			"Number": "12", "Float": "1.5", "Truth": "true", "Date": "2020-01-01T00:00:00Z",
			"Infinity": "Infinity", "Nothing": "null",
		}),
		comesBack("Boolean values come back", members{"Yes": true, "No": false}),
		comesBack("Int32 values come back, both ends among them", members{
			"Lowest": int32(math.MinInt32), "Zero": int32(0), "Highest": int32(math.MaxInt32),
		}),
		comesBack("Int64 values come back, both ends among them", members{
			"Lowest": aztables.EDMInt64(math.MinInt64), "Zero": aztables.EDMInt64(0),
			"Highest": aztables.EDMInt64(math.MaxInt64), "Odd": aztables.EDMInt64(9007199254740993),
		}),
		comesBack("Double values come back, the largest and the smallest among them", members{
			"Half": 0.5, "Negative": -1234.5678, "Largest": math.MaxFloat64,
			"Smallest": math.SmallestNonzeroFloat64, "Third": 1.0 / 3,
		}),
		comesBack("DateTime values come back without a fraction and with seven digits of it", members{
			"Whole": instant("1973-10-04T00:00:00Z"), "Tenth": instant("2012-11-10T03:04:05.2Z"),
			"Seven": instant("2008-07-10T01:02:03.1234567Z"),
		}),
		comesBack("DateTime values come back from both ends of the calendar", members{
			"First": instant("1601-01-01T00:00:00Z"), "Last": instant("9999-12-31T23:59:59.9999999Z"),
		}),
		comesBack("Guid values come back", members{
			"Guid": aztables.EDMGUID("c9da6455-213d-42c9-9a79-3e9149a57833"),
			"Zero": aztables.EDMGUID("00000000-0000-0000-0000-000000000000"),
		}),
		comesBack("Binary values come back: empty, every byte, 64 KiB", members{
			"Empty": aztables.EDMBinary{}, "Every": aztables.EDMBinary(everyByte),
			"Largest": aztables.EDMBinary(bytes.Repeat([]byte{0, 255, 13, 10}, 16*1024)),
		}),
		comesBack("one entity holds all types", members{
			"String": "s", "Boolean": true, "Int32": int32(7), "Int64": aztables.EDMInt64(7), "Double": 7.5,
			"DateTime": instant("2020-02-29T12:00:00Z"), "Binary": aztables.EDMBinary("b"),
			"Guid": aztables.EDMGUID("c9da6455-213d-42c9-9a79-3e9149a57833"),
		}),
		comesBack("names of properties that differ in case only are different properties", members{
			"age": int32(1), "Age": int32(2), "AGE": int32(3),
		}),
		comesBack("names of properties may have letters of any script, digits and underscores", members{
			"_hidden": "a", "naïve": "b", "Größe2": "c", "名前": "d",
		}),
		{"3.0 stays a Double and 3 an Int32", func(a *account) {
			table := a.table()
			add(table, "p", "r", members{"Ratio": 3, "Ratio@odata.type": "Edm.Double", "Count": 3})
			text := wireText(table, "p", "r")
			holds(strings.Contains(text, `"Ratio":3.0`), "no Double 3.0 in %s", text)
			holds(regexp.MustCompile(`"Count":3[,}]`).MatchString(text), "no Int32 3 in %s", text)
			equal("Double property", matching(table, "Ratio eq 3.0"), []string{"r"})
			equal("Int32 property", matching(table, "Count eq 3.0"), []string{})
		}},
		{"NaN and the infinities come back as strings annotated as Double", func(a *account) {
			written := members{
				"NotANumber": "NaN", "NotANumber@odata.type": "Edm.Double",
				"Up": "Infinity", "Up@odata.type": "Edm.Double",
				"Down": "-Infinity", "Down@odata.type": "Edm.Double",
			}
			table := a.table()
			add(table, "p", "r", written)
			equal("members", custom(get(table, "p", "r")), written)
		}},
		{"negative zero keeps its sign", func(a *account) {
			table := a.table()
			add(table, "p", "r", members{"Zero": math.Copysign(0, -1), "Zero@odata.type": "Edm.Double"})
			zero := get(table, "p", "r")["Zero"].(float64)
			holds(zero == 0 && math.Signbit(zero), "expected -0, got %v", zero)
		}},
		{"an Int32 written as digits and annotated comes back as a number", func(a *account) {
			table := a.table()
			add(table, "p", "r", members{"Count": "12345", "Count@odata.type": "Edm.Int32"})
			equal("members", custom(get(table, "p", "r")), members{"Count": 12345.0})
		}},
		{"a Guid in capitals comes back in small letters", func(a *account) {
			table := a.table()
			guid := "C9DA6455-213D-42C9-9A79-3E9149A57833"
			must(table.AddEntity(background, typedEntity("p", "r", members{"Guid": aztables.EDMGUID(guid)}), nil))
			equal("guid", getTyped(table, "p", "r")["Guid"], any(aztables.EDMGUID(strings.ToLower(guid))))
		}},
		{"zeros at the end of a DateTime's fraction are dropped", func(a *account) {
			table := a.table()
			add(table, "p", "r", members{"At": "2012-11-10T03:04:05.2000000Z", "At@odata.type": "Edm.DateTime"})
			equal("text", get(table, "p", "r")["At"], any("2012-11-10T03:04:05.2Z"))
		}},
		{"a property that is null is not stored, annotated or not", func(a *account) {
			table := a.table()
			add(table, "p", "r", members{
				"Nothing": nil, "NoNumber": nil, "NoNumber@odata.type": "Edm.Int64", "Something": "here",
			})
			equal("members", custom(get(table, "p", "r")), members{"Something": "here"})
		}},
		{"annotations stand for the types that JSON does not tell", func(a *account) {
			table := a.table()
			must(table.AddEntity(background, typedEntity("p", "r", members{
				"String": "s", "Boolean": true, "Int32": int32(7), "Double": 7.5, "Int64": aztables.EDMInt64(7),
				"DateTime": instant("2020-02-29T12:00:00Z"), "Binary": aztables.EDMBinary("b"),
				"Guid": aztables.EDMGUID("c9da6455-213d-42c9-9a79-3e9149a57833"),
			}), nil))
			annotations := members{}
			for name, value := range custom(get(table, "p", "r")) {
				if annotated, isAnnotation := strings.CutSuffix(name, "@odata.type"); isAnnotation {
					annotations[annotated] = value
				}
			}
			equal("annotations", annotations, members{
				"Int64": "Edm.Int64", "DateTime": "Edm.DateTime", "Binary": "Edm.Binary", "Guid": "Edm.Guid",
			})
		}},
		{"a Timestamp that the client sends is ignored", func(a *account) {
			table := a.table()
			before := time.Now().Add(-time.Hour)
			add(table, "p", "r", members{"Timestamp": "0001-01-01T00:00:00Z"})
			at := must(time.Parse(time.RFC3339Nano, get(table, "p", "r")["Timestamp"].(string)))
			holds(at.After(before), "the Timestamp is %v", at)
		}},
		{"no metadata leaves the properties alone", func(a *account) {
			table := a.table()
			must(table.AddEntity(background, typedEntity("p", "r", members{"Big": aztables.EDMInt64(1)}), nil))
			found := read(must(table.GetEntity(background, "p", "r", &aztables.GetEntityOptions{
				Format: to.Ptr(aztables.MetadataFormatNone),
			})).Value)
			delete(found, "Timestamp")
			equal("members", found, members{"PartitionKey": "p", "RowKey": "r", "Big": "1"})
		}},
		{"full metadata names type, address, link and tag of an entity", func(a *account) {
			name, table := a.namedTable()
			must(table.CreateTable(background, nil))
			tag := add(table, "O'Hara", "a b", nil)
			found := read(must(table.GetEntity(background, "O'Hara", "a b", &aztables.GetEntityOptions{
				Format: to.Ptr(aztables.MetadataFormatFull),
			})).Value)
			link := fmt.Sprintf("%s(PartitionKey='O''Hara',RowKey='a%%20b')", name)
			equal("type", found["odata.type"], any(a.credential.AccountName()+"."+name))
			equal("address", found["odata.id"], any(a.endpoint+"/"+link))
			equal("link", found["odata.editLink"], any(link))
			equal("tag", found["odata.etag"], any(string(tag)))
			equal("metadata", found["odata.metadata"], any(a.endpoint+"/$metadata#"+name+"/@Element"))
			equal("annotation of the Timestamp", found["Timestamp@odata.type"], any("Edm.DateTime"))
		}},
		{"an insert answers with the entity at the level of metadata that was asked for", func(a *account) {
			table := a.table()
			options := &aztables.AddEntityOptions{Format: to.Ptr(aztables.MetadataFormatNone)}
			answer := must(table.AddEntity(background, entity("p", "r", members{"Word": "w"}), options))
			found := read(answer.Value)
			delete(found, "Timestamp")
			equal("members", found, members{"PartitionKey": "p", "RowKey": "r", "Word": "w"})
		}},
	}
}
