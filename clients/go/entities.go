package main

import (
	"encoding/json"
	"maps"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
)

// members are those of an entity's JSON. The client's own EDMEntity doubles the quotes in its keys when it
// is written, so entities whose keys or annotations matter are built from plain members.
type members = map[string]any

// entity is the JSON that the client takes for an entity with these keys.
func entity(partitionKey, rowKey string, others members) []byte {
	all := members{"PartitionKey": partitionKey, "RowKey": rowKey}
	maps.Copy(all, others)
	return must(json.Marshal(all))
}

// typedEntity is the same by the client's own types, which annotate themselves.
func typedEntity(partitionKey, rowKey string, properties members) []byte {
	return must(json.Marshal(aztables.EDMEntity{
		Entity:     aztables.Entity{PartitionKey: partitionKey, RowKey: rowKey},
		Properties: properties,
	}))
}

// add inserts an entity and gives its tag.
func add(table *aztables.Client, partitionKey, rowKey string, properties members) azcore.ETag {
	return must(table.AddEntity(background, entity(partitionKey, rowKey, properties), nil)).ETag
}

// get reads the members of an entity, annotations among them.
func get(table *aztables.Client, partitionKey, rowKey string) members {
	return read(must(table.GetEntity(background, partitionKey, rowKey, nil)).Value)
}

func read(value []byte) members {
	var all members
	succeeds(json.Unmarshal(value, &all))
	return all
}

// getTyped reads the properties of an entity as the client's own types.
func getTyped(table *aztables.Client, partitionKey, rowKey string) members {
	var typed aztables.EDMEntity
	succeeds(json.Unmarshal(must(table.GetEntity(background, partitionKey, rowKey, nil)).Value, &typed))
	return typed.Properties
}

// all reads a query to its end.
func all(table *aztables.Client, options *aztables.ListEntitiesOptions) []members {
	found, err := tryAll(table, options)
	succeeds(err)
	return found
}

func tryAll(table *aztables.Client, options *aztables.ListEntitiesOptions) ([]members, error) {
	found := []members{}
	for pager := table.NewListEntitiesPager(options); pager.More(); {
		page, err := pager.NextPage(background)
		if err != nil {
			return nil, err
		}
		for _, value := range page.Entities {
			found = append(found, read(value))
		}
	}
	return found, nil
}

// matching gives the row keys of the entities that a filter matches, in the order of the answer.
func matching(table *aztables.Client, filter string) []string {
	return rowKeys(all(table, &aztables.ListEntitiesOptions{Filter: &filter}))
}

func rowKeys(entities []members) []string {
	keys := make([]string, len(entities))
	for i, found := range entities {
		keys[i], _ = found["RowKey"].(string)
	}
	return keys
}

// custom leaves out the members that every entity has.
func custom(found members) members {
	others := maps.Clone(found)
	for _, name := range []string{"odata.metadata", "odata.etag", "PartitionKey", "RowKey", "Timestamp"} {
		delete(others, name)
	}
	return others
}

func isMissing(table *aztables.Client, partitionKey, rowKey string) {
	_, err := table.GetEntity(background, partitionKey, rowKey, nil)
	refused(err, 404, "ResourceNotFound")
}
