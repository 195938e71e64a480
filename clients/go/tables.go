package main

import (
	"fmt"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
)

// listTables gives the names that a listing finds, page by page.
func listTables(service *aztables.ServiceClient, options *aztables.ListTablesOptions) [][]string {
	pages := [][]string{}
	for pager := service.NewListTablesPager(options); pager.More(); {
		names := []string{}
		for _, table := range must(pager.NextPage(background)).Tables {
			names = append(names, *table.Name)
		}
		pages = append(pages, names)
	}
	return pages
}

// family creates tables whose names begin alike, and gives the names and a filter that finds these only.
func family(a *account, count int) (names []string, filter string) {
	stem := a.freshName()
	for i := range count {
		name := fmt.Sprintf("%s%c", stem, 'a'+i)
		a.tables = append(a.tables, name)
		must(a.service.CreateTable(background, name, nil))
		names = append(names, name)
	}
	return names, fmt.Sprintf("TableName ge '%sa' and TableName lt '%s{'", stem, stem)
}

func tableCases() []behaviour {
	return []behaviour{
		{"a table is created and answered with its name", func(a *account) {
			name := a.freshName()
			equal("name", *must(a.service.CreateTable(background, name, nil)).TableName, name)
		}},
		{"a table client creates and deletes its own table", func(a *account) {
			name, client := a.namedTable()
			equal("name", *must(client.CreateTable(background, nil)).TableName, name)
			must(client.Delete(background, nil))
			_, err := client.Delete(background, nil)
			refused(err, 404, "ResourceNotFound")
		}},
		{"a table that exists is not created again", func(a *account) {
			name := a.freshName()
			must(a.service.CreateTable(background, name, nil))
			_, err := a.service.CreateTable(background, name, nil)
			refused(err, 409, "TableAlreadyExists")
		}},
		{"a table that exists is not created again in other case", func(a *account) {
			name := a.freshName()
			must(a.service.CreateTable(background, name, nil))
			_, err := a.service.CreateTable(background, strings.ToUpper(name), nil)
			refused(err, 409, "TableAlreadyExists")
		}},
		{"a table is found under its name in any case, and listed as it was created", func(a *account) {
			name := a.freshName()
			must(a.service.CreateTable(background, name, nil))
			add(a.service.NewClient(strings.ToLower(name)), "p", "r", members{"Word": "same"})
			equal("word", get(a.service.NewClient(strings.ToUpper(name)), "p", "r")["Word"], any("same"))
			filter := fmt.Sprintf("TableName eq '%s'", name)
			equal("listed", listTables(a.service, &aztables.ListTablesOptions{Filter: &filter}), [][]string{{name}})
		}},
		{"a name that another table's name begins with is free", func(a *account) {
			name := a.freshName()
			a.tables = append(a.tables, name+"x")
			must(a.service.CreateTable(background, name+"x", nil))
			must(a.service.CreateTable(background, name, nil))
		}},
		{"a filter on the name selects tables", func(a *account) {
			names, _ := family(a, 3)
			filter := fmt.Sprintf("TableName eq '%s' or TableName eq '%s'", names[0], names[2])
			found := listTables(a.service, &aztables.ListTablesOptions{Filter: &filter})
			equal("found", found, [][]string{{names[0], names[2]}})
		}},
		{"a listing is paged by the size that was asked for", func(a *account) {
			names, filter := family(a, 5)
			found := listTables(a.service, &aztables.ListTablesOptions{Filter: &filter, Top: to.Ptr(int32(2))})
			equal("pages", found, [][]string{names[0:2], names[2:4], names[4:5]})
		}},
		{"a listing goes on from its token in a new client", func(a *account) {
			names, filter := family(a, 4)
			options := aztables.ListTablesOptions{Filter: &filter, Top: to.Ptr(int32(3))}
			first := must(a.service.NewListTablesPager(&options).NextPage(background))
			options.NextTableName = first.NextTableName
			other := must(aztables.NewServiceClientWithSharedKey(a.endpoint, a.credential, clientOptions()))
			equal("rest", listTables(other, &options), [][]string{names[3:]})
		}},
		{"a listing without a filter holds every table", func(a *account) {
			names, _ := family(a, 2)
			listed := map[string]bool{}
			for _, page := range listTables(a.service, nil) {
				for _, name := range page {
					listed[name] = true
				}
			}
			holds(listed[names[0]] && listed[names[1]], "%v is not all listed", names)
		}},
		{"full metadata of a table names its type, its address and its link", func(a *account) {
			names, filter := family(a, 1)
			page := must(a.service.NewListTablesPager(&aztables.ListTablesOptions{
				Filter: &filter,
				Format: to.Ptr(aztables.MetadataFormatFull),
			}).NextPage(background))
			described := read(page.Tables[0].Value)
			address := fmt.Sprintf("Tables('%s')", names[0])
			equal("link", described["odata.editLink"], any(address))
			equal("address", described["odata.id"], any(a.endpoint+"/"+address))
			equal("type", described["odata.type"], any(a.credential.AccountName()+".Tables"))
		}},
		{"a deleted table is listed no more, and its entities are gone", func(a *account) {
			names, filter := family(a, 1)
			client := a.service.NewClient(names[0])
			add(client, "p", "r", nil)
			must(a.service.DeleteTable(background, names[0], nil))
			equal("listed", listTables(a.service, &aztables.ListTablesOptions{Filter: &filter}), [][]string{{}})
			_, err := client.GetEntity(background, "p", "r", nil)
			refused(err, 404, "TableNotFound")
		}},
		{"a table that is deleted and created again is empty", func(a *account) {
			name, client := a.namedTable()
			must(client.CreateTable(background, nil))
			add(client, "p", "r", nil)
			must(client.Delete(background, nil))
			must(a.service.CreateTable(background, name, nil))
			equal("entities", len(all(client, nil)), 0)
		}},
		{"a table that is not there is not deleted", func(a *account) {
			_, err := a.service.DeleteTable(background, a.freshName(), nil)
			refused(err, 404, "ResourceNotFound")
		}},
		{"a table is deleted under its name in other case", func(a *account) {
			name, client := a.namedTable()
			must(client.CreateTable(background, nil))
			must(a.service.DeleteTable(background, strings.ToUpper(name), nil))
			_, err := tryAll(client, nil)
			refused(err, 404, "TableNotFound")
		}},
		{"a name with other characters than letters and digits is refused", func(a *account) {
			for _, name := range []string{"my_table", "1abc", "a-b", "täbel"} {
				_, err := a.service.CreateTable(background, name, nil)
				refused(err, 400, "InvalidResourceName")
			}
		}},
		{"a name of less than 3 or more than 63 characters is refused", func(a *account) {
			for _, name := range []string{"ab", strings.Repeat("a", 64)} {
				_, err := a.service.CreateTable(background, name, nil)
				refused(err, 400, "OutOfRangeInput")
			}
		}},
		{"a name of 63 characters is a name", func(a *account) {
			name := a.freshName()
			name += strings.Repeat("x", 63-len(name))
			a.tables = append(a.tables, name)
			must(a.service.CreateTable(background, name, nil))
		}},
		{"the reserved name is refused", func(a *account) {
			_, err := a.service.CreateTable(background, "tables", nil)
			refused(err, 400, "InvalidInput")
		}},
	}
}
