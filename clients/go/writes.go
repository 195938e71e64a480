package main

import (
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
)

var bothModes = []aztables.UpdateMode{aztables.UpdateModeReplace, aztables.UpdateModeMerge}

// update writes an entity that exists, under the condition of a tag when there is one.
func update(
	table *aztables.Client, rowKey string, others members, mode aztables.UpdateMode, tag *azcore.ETag,
) (azcore.ETag, error) {
	answer, err := table.UpdateEntity(background, entity("p", rowKey, others),
		&aztables.UpdateEntityOptions{UpdateMode: mode, IfMatch: tag})
	return answer.ETag, err
}

// upsert writes an entity whether it exists or not.
func upsert(table *aztables.Client, rowKey string, others members, mode aztables.UpdateMode) (azcore.ETag, error) {
	answer, err := table.UpsertEntity(background, entity("p", rowKey, others),
		&aztables.UpsertEntityOptions{UpdateMode: mode})
	return answer.ETag, err
}

func remove(table *aztables.Client, rowKey string, tag *azcore.ETag) error {
	_, err := table.DeleteEntity(background, "p", rowKey, &aztables.DeleteEntityOptions{IfMatch: tag})
	return err
}

func writeCases() []behaviour {
	return []behaviour{
		{"an insert answers with the entity and its tag", func(a *account) {
			table := a.table()
			answer := must(table.AddEntity(background, entity("p", "r", members{"Word": "w"}), nil))
			found := read(answer.Value)
			equal("members", custom(found), members{"Word": "w"})
			equal("tag", found["odata.etag"], any(string(answer.ETag)))
			equal("what is stored", get(table, "p", "r"), found)
		}},
		{"an entity that exists is not inserted again", func(a *account) {
			table := a.table()
			add(table, "p", "r", members{"Word": "first"})
			_, err := table.AddEntity(background, entity("p", "r", members{"Word": "second"}), nil)
			refused(err, 409, "EntityAlreadyExists")
			equal("word", get(table, "p", "r")["Word"], any("first"))
		}},
		{"an entity that is not there is not found", func(a *account) { isMissing(a.table(), "p", "r") }},
		{"every operation on a table that is not there says so", func(a *account) {
			_, table := a.namedTable()
			_, inserted := table.AddEntity(background, entity("p", "r", nil), nil)
			_, gotten := table.GetEntity(background, "p", "r", nil)
			_, queried := tryAll(table, nil)
			errs := []error{inserted, gotten, queried, remove(table, "r", nil)}
			for _, mode := range bothModes {
				_, updated := update(table, "r", nil, mode, nil)
				_, upserted := upsert(table, "r", nil, mode)
				errs = append(errs, updated, upserted)
			}
			for _, err := range errs {
				refused(err, 404, "TableNotFound")
			}
		}},
		{"an upsert that replaces creates an entity", func(a *account) {
			table := a.table()
			must(upsert(table, "r", members{"Word": "w"}, aztables.UpdateModeReplace))
			equal("members", custom(get(table, "p", "r")), members{"Word": "w"})
		}},
		{"an upsert that replaces drops what it does not mention", func(a *account) {
			table := a.table()
			add(table, "p", "r", members{"Old": 1, "Both": 1})
			must(upsert(table, "r", members{"New": 2, "Both": 2}, aztables.UpdateModeReplace))
			equal("members", custom(get(table, "p", "r")), members{"New": 2.0, "Both": 2.0})
		}},
		{"an upsert that merges creates an entity", func(a *account) {
			table := a.table()
			must(upsert(table, "r", members{"Word": "w"}, aztables.UpdateModeMerge))
			equal("members", custom(get(table, "p", "r")), members{"Word": "w"})
		}},
		{"an upsert that merges keeps what it does not mention", func(a *account) {
			table := a.table()
			add(table, "p", "r", members{"Old": 1, "Both": 1})
			must(upsert(table, "r", members{"New": 2, "Both": 2}, aztables.UpdateModeMerge))
			equal("members", custom(get(table, "p", "r")), members{"Old": 1.0, "New": 2.0, "Both": 2.0})
		}},
		{"an update that replaces drops what it does not mention", func(a *account) {
			table := a.table()
			add(table, "p", "r", members{"Old": 1, "Both": 1})
			must(update(table, "r", members{"New": 2, "Both": 2}, aztables.UpdateModeReplace, nil))
			equal("members", custom(get(table, "p", "r")), members{"New": 2.0, "Both": 2.0})
		}},
		{"an update that merges keeps what it does not mention", func(a *account) {
			table := a.table()
			add(table, "p", "r", members{"Old": 1, "Both": 1})
			must(update(table, "r", members{"New": 2, "Both": 2}, aztables.UpdateModeMerge, nil))
			equal("members", custom(get(table, "p", "r")), members{"Old": 1.0, "New": 2.0, "Both": 2.0})
		}},
		{"an entity that is not there is not updated", func(a *account) {
			table := a.table()
			for _, mode := range bothModes {
				_, err := update(table, "r", nil, mode, nil)
				refused(err, 404, "ResourceNotFound")
			}
			isMissing(table, "p", "r")
		}},
		{"null in a merge leaves the stored value", func(a *account) {
			table := a.table()
			add(table, "p", "r", members{"Kept": "k"})
			must(update(table, "r", members{"Kept": nil, "New": "n"}, aztables.UpdateModeMerge, nil))
			equal("members", custom(get(table, "p", "r")), members{"Kept": "k", "New": "n"})
		}},
		{"null in a replace drops the property", func(a *account) {
			table := a.table()
			add(table, "p", "r", members{"Dropped": "k"})
			must(update(table, "r", members{"Dropped": nil, "New": "n"}, aztables.UpdateModeReplace, nil))
			equal("members", custom(get(table, "p", "r")), members{"New": "n"})
		}},
		{"a merge may change the type of a property", func(a *account) {
			table := a.table()
			add(table, "p", "r", members{"Value": "12", "Value@odata.type": "Edm.Int64"})
			must(update(table, "r", members{"Value": true}, aztables.UpdateModeMerge, nil))
			equal("members", custom(get(table, "p", "r")), members{"Value": true})
		}},
		{"a merge that brings more than 252 properties together is refused", func(a *account) {
			table := a.table()
			add(table, "p", "r", manyProperties(252))
			_, err := update(table, "r", members{"OneMore": 1}, aztables.UpdateModeMerge, nil)
			refused(err, 400, "TooManyProperties")
			equal("properties", len(custom(get(table, "p", "r"))), 252)
		}},
		{"a delete removes the entity, and a second one finds nothing", func(a *account) {
			table := a.table()
			add(table, "p", "r", nil)
			succeeds(remove(table, "r", nil))
			isMissing(table, "p", "r")
			refused(remove(table, "r", nil), 404, "ResourceNotFound")
		}},
		{"every write moves the Timestamp forward and gives a new tag", func(a *account) {
			table := a.table()
			tags := map[azcore.ETag]bool{add(table, "p", "r", nil): true}
			last := get(table, "p", "r")["Timestamp"].(string)
			for _, mode := range bothModes {
				for _, tag := range []azcore.ETag{
					must(update(table, "r", nil, mode, nil)), must(upsert(table, "r", nil, mode)),
				} {
					holds(!tags[tag], "the tag %s came twice", tag)
					tags[tag] = true
				}
				now := get(table, "p", "r")["Timestamp"].(string)
				holds(must(time.Parse(time.RFC3339Nano, now)).After(must(time.Parse(time.RFC3339Nano, last))),
					"the Timestamp went from %s to %s", last, now)
				last = now
			}
		}},
		{"a point read gives the tag of the last write", func(a *account) {
			table := a.table()
			add(table, "p", "r", nil)
			tag := must(update(table, "r", members{"Word": "w"}, aztables.UpdateModeMerge, nil))
			answer := must(table.GetEntity(background, "p", "r", nil))
			equal("header", answer.ETag, tag)
			equal("member", read(answer.Value)["odata.etag"], any(string(tag)))
			holds(strings.HasPrefix(string(tag), `W/"datetime'`), "the tag is %s", tag)
		}},
	}
}

func concurrencyCases() []behaviour {
	return []behaviour{
		{"an update under the current tag succeeds, and its answer has the next one", func(a *account) {
			table := a.table()
			tag := add(table, "p", "r", nil)
			for _, mode := range bothModes {
				tag = must(update(table, "r", members{"Mode": string(mode)}, mode, &tag))
				equal("mode", get(table, "p", "r")["Mode"], any(string(mode)))
			}
		}},
		{"an update under a stale tag is refused and changes nothing", func(a *account) {
			table := a.table()
			stale := add(table, "p", "r", nil)
			current := must(update(table, "r", members{"Word": "w"}, aztables.UpdateModeReplace, nil))
			for _, mode := range bothModes {
				_, err := update(table, "r", members{"Word": "x"}, mode, &stale)
				refused(err, 412, "UpdateConditionNotSatisfied")
			}
			answer := must(table.GetEntity(background, "p", "r", nil))
			equal("tag", answer.ETag, current)
			equal("word", read(answer.Value)["Word"], any("w"))
		}},
		{"a delete under the current tag succeeds", func(a *account) {
			table := a.table()
			tag := add(table, "p", "r", nil)
			succeeds(remove(table, "r", &tag))
			isMissing(table, "p", "r")
		}},
		{"a delete under a stale tag is refused and removes nothing", func(a *account) {
			table := a.table()
			stale := add(table, "p", "r", nil)
			must(upsert(table, "r", nil, aztables.UpdateModeMerge))
			refused(remove(table, "r", &stale), 412, "UpdateConditionNotSatisfied")
			get(table, "p", "r")
		}},
		{"a star matches any tag of an entity that exists", func(a *account) {
			table := a.table()
			add(table, "p", "r", nil)
			for _, mode := range bothModes {
				must(update(table, "r", nil, mode, to.Ptr(azcore.ETagAny)))
			}
			succeeds(remove(table, "r", to.Ptr(azcore.ETagAny)))
			refused(remove(table, "r", to.Ptr(azcore.ETagAny)), 404, "ResourceNotFound")
		}},
		{"a tag of an entity that is gone finds nothing", func(a *account) {
			table := a.table()
			tag := add(table, "p", "r", nil)
			succeeds(remove(table, "r", nil))
			for _, mode := range bothModes {
				_, err := update(table, "r", nil, mode, &tag)
				refused(err, 404, "ResourceNotFound")
			}
			refused(remove(table, "r", &tag), 404, "ResourceNotFound")
		}},
		{"the tag of an entity that was deleted and inserted again is stale", func(a *account) {
			table := a.table()
			tag := add(table, "p", "r", nil)
			succeeds(remove(table, "r", nil))
			add(table, "p", "r", nil)
			_, err := update(table, "r", nil, aztables.UpdateModeMerge, &tag)
			refused(err, 412, "UpdateConditionNotSatisfied")
		}},
		{"the tag that a query tells is good for an update", func(a *account) {
			table := a.table()
			add(table, "p", "r", nil)
			tag := azcore.ETag(all(table, nil)[0]["odata.etag"].(string))
			must(update(table, "r", nil, aztables.UpdateModeReplace, &tag))
		}},
		{"the tag of an upsert is good for a delete", func(a *account) {
			table := a.table()
			tag := must(upsert(table, "r", nil, aztables.UpdateModeMerge))
			succeeds(remove(table, "r", &tag))
		}},
		{"a well formed tag that the entity never had is refused", func(a *account) {
			table := a.table()
			add(table, "p", "r", nil)
			_, err := update(table, "r", nil, aztables.UpdateModeMerge, to.Ptr(azcore.ETag(`W/"wrong"`)))
			refused(err, 412, "UpdateConditionNotSatisfied")
		}},
		{"a text that is no weak tag is refused as input", func(a *account) {
			table := a.table()
			tag := add(table, "p", "r", nil)
			for _, malformed := range []string{"abc", `"strong"`, strings.TrimPrefix(string(tag), "W/")} {
				_, err := update(table, "r", nil, aztables.UpdateModeMerge, to.Ptr(azcore.ETag(malformed)))
				refused(err, 400, "InvalidInput")
				refused(remove(table, "r", to.Ptr(azcore.ETag(malformed))), 400, "InvalidInput")
			}
		}},
		{"of updates that race under one tag exactly one succeeds", func(a *account) {
			table := a.table()
			tag := add(table, "p", "r", nil)
			equal("winners", winners(8, func(racer int) error {
				_, err := update(table, "r", members{"Racer": racer}, aztables.UpdateModeReplace, &tag)
				return err
			}, 412, "UpdateConditionNotSatisfied"), 1)
		}},
		{"of inserts that race exactly one succeeds", func(a *account) {
			table := a.table()
			equal("winners", winners(8, func(racer int) error {
				_, err := table.AddEntity(background, entity("p", "r", members{"Racer": racer}), nil)
				return err
			}, 409, "EntityAlreadyExists"), 1)
		}},
	}
}

// winners runs racers at once and counts those that succeed; each other one must be refused as told.
func winners(racers int, race func(racer int) error, status int, code string) int {
	ends := make(chan error, racers)
	for racer := range racers {
		go func() { ends <- race(racer) }()
	}
	won := 0
	for range racers {
		if err := <-ends; err == nil {
			won++
		} else {
			refused(err, status, code)
		}
	}
	return won
}
