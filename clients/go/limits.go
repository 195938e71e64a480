package main

import (
	"fmt"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
)

// insertRefused is the behaviour that an entity with these members is refused when it is inserted.
func insertRefused(name string, others members, status int, code string) behaviour {
	return behaviour{name, func(a *account) {
		table := a.table()
		_, err := table.AddEntity(background, entity("p", "r", others), nil)
		refused(err, status, code)
		isMissing(table, "p", "r")
	}}
}

func manyProperties(count int) members {
	properties := members{}
	for i := range count {
		properties[fmt.Sprintf("P%d", i)] = i
	}
	return properties
}

func limitCases() []behaviour {
	return []behaviour{
		comesBack("a String of 32 Ki characters comes back", members{"Text": strings.Repeat("ä", 32*1024)}),
		insertRefused("a String of more than 32 Ki characters is refused",
			members{"Text": strings.Repeat("a", 32*1024+1)}, 400, "PropertyValueTooLarge"),
		{"a Binary of more than 64 KiB is refused", func(a *account) {
			table := a.table()
			properties := members{"Bytes": aztables.EDMBinary(make([]byte, 64*1024+1))}
			_, err := table.AddEntity(background, typedEntity("p", "r", properties), nil)
			refused(err, 400, "PropertyValueTooLarge")
		}},
		{"252 properties come back", func(a *account) {
			table := a.table()
			add(table, "p", "r", manyProperties(252))
			equal("properties", len(custom(get(table, "p", "r"))), 252)
		}},
		insertRefused("253 properties are refused", manyProperties(253), 400, "TooManyProperties"),
		comesBack("a property's name of 255 characters comes back", members{strings.Repeat("n", 255): "v"}),
		insertRefused("a property's name of 256 characters is refused",
			members{strings.Repeat("n", 256): "v"}, 400, "PropertyNameTooLong"),
		insertRefused("a property's name of digits is refused", members{"123": "v"}, 400, "PropertyNameInvalid"),
		insertRefused("a property's name with a dash is refused", members{"a-b": "v"}, 400, "PropertyNameInvalid"),
		{"an entity of more than 1 MiB is refused", func(a *account) {
			table := a.table()
			properties := members{}
			for i := range 17 {
				properties[fmt.Sprintf("P%d", i)] = aztables.EDMBinary(make([]byte, 64*1024))
			}
			_, err := table.AddEntity(background, typedEntity("p", "r", properties), nil)
			refused(err, 400, "EntityTooLarge")
		}},
		insertRefused("an Int64 out of its range is refused",
			members{"Big": "9223372036854775808", "Big@odata.type": "Edm.Int64"}, 400, "InvalidInput"),
		insertRefused("a value that is not of its type is refused",
			members{"Count": "many", "Count@odata.type": "Edm.Int32"}, 400, "InvalidInput"),
		insertRefused("a Guid that is none is refused",
			members{"Guid": "some-guid-value", "Guid@odata.type": "Edm.Guid"}, 400, "InvalidInput"),
		insertRefused("a Binary that is not Base64 is refused",
			members{"Bytes": "*not base64*", "Bytes@odata.type": "Edm.Binary"}, 400, "InvalidInput"),
		insertRefused("a DateTime before 1601 is refused",
			members{"At": "0001-01-01T00:00:00Z", "At@odata.type": "Edm.DateTime"}, 400, "OutOfRangeInput"),
		{"a key that is a number is refused", func(a *account) {
			_, err := a.table().AddEntity(background, []byte(`{"PartitionKey":1,"RowKey":"r"}`), nil)
			refused(err, 400, "InvalidInput")
		}},
	}
}
