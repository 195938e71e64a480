package main

import (
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
)

const everyPermission = "rwdlacup"

// objectPermission is the behaviour that an account's signature for entities permits exactly what its
// letters say.
func objectPermission(name, permissions string) behaviour {
	return behaviour{name, func(a *account) {
		table, byKey := a.namedTable()
		must(byKey.CreateTable(background, nil))
		signature := accountSignature(a, aztables.AccountSASSignatureValues{
			ResourceTypes: "o", Permissions: permissions,
		})
		permits(byKey, openTable(a, table, signature), permissions, "AuthorizationPermissionMismatch")
	}}
}

// accountRefused is the behaviour that a listing of the tables by an account's signature is refused.
func accountRefused(name string, values aztables.AccountSASSignatureValues, code string) behaviour {
	return behaviour{name, func(a *account) {
		_, err := openAccount(a.endpoint, accountSignature(a, values)).NewListTablesPager(nil).NextPage(background)
		refused(err, 403, code)
	}}
}

func accountSignatureCases() []behaviour {
	listing := aztables.AccountSASSignatureValues{ResourceTypes: "sco", Permissions: everyPermission}
	expired, early, overTLS, fromElsewhere, forBlobs := listing, listing, listing, listing, listing
	expired.ExpiryTime = justBefore()
	early.StartTime = inAnHour()
	overTLS.Protocol = aztables.SASProtocolHTTPS
	fromElsewhere.IPRange = noAddress
	forBlobs.Services = "bqf"
	forEntities, withoutList := listing, listing
	forEntities.ResourceTypes = "so"
	withoutList.Permissions = strings.ReplaceAll(everyPermission, "l", "")

	opened := func(a *account, resourceTypes, permissions string) *aztables.ServiceClient {
		return openAccount(a.endpoint, accountSignature(a, aztables.AccountSASSignatureValues{
			ResourceTypes: resourceTypes, Permissions: permissions,
		}))
	}
	return []behaviour{
		objectPermission("an account's signature to read permits queries and point reads alone", "r"),
		objectPermission("an account's signature to add permits inserts alone", "a"),
		objectPermission("an account's signature to update permits updates alone", "u"),
		objectPermission("an account's signature to delete permits deletes alone", "d"),
		objectPermission("an account's signature to add and update permits upserts too", "au"),
		objectPermission("an account's signature for everything permits every operation on entities", everyPermission),
		{"an account's signature to create or to write creates tables", func(a *account) {
			for _, permissions := range []string{"c", "w"} {
				must(opened(a, "c", permissions).CreateTable(background, a.freshName(), nil))
			}
		}},
		{"an account's signature without create and write creates no table", func(a *account) {
			_, err := opened(a, "sco", "rdlaup").CreateTable(background, a.freshName(), nil)
			refused(err, 403, "AuthorizationPermissionMismatch")
		}},
		{"an account's signature to delete deletes tables, and one without does not", func(a *account) {
			name, table := a.namedTable()
			must(table.CreateTable(background, nil))
			_, err := opened(a, "sco", "rwlacup").DeleteTable(background, name, nil)
			refused(err, 403, "AuthorizationPermissionMismatch")
			must(opened(a, "c", "d").DeleteTable(background, name, nil))
		}},
		{"an account's signature to list lists tables", func(a *account) {
			names, filter := family(a, 2)
			found := listTables(opened(a, "c", "l"), &aztables.ListTablesOptions{Filter: &filter})
			equal("found", found, [][]string{names})
		}},
		{"an account's signature to read gets the properties, and one without does not", func(a *account) {
			must(opened(a, "s", "r").GetProperties(background, nil))
			_, err := opened(a, "sco", "wdlacup").GetProperties(background, nil)
			refused(err, 403, "AuthorizationPermissionMismatch")
		}},
		{"an account's signature to write sets the properties, and one without does not", func(a *account) {
			same := aztables.ServiceProperties{Logging: loggingOff()}
			must(opened(a, "s", "w").SetProperties(background, same, nil))
			_, err := opened(a, "sco", "rdlacup").SetProperties(background, same, nil)
			refused(err, 403, "AuthorizationPermissionMismatch")
		}},
		{"an account's signature to read gets the statistics from the secondary", func(a *account) {
			signature := accountSignature(a, aztables.AccountSASSignatureValues{ResourceTypes: "s", Permissions: "r"})
			must(openAccount(a.secondaryEndpoint, signature).GetStatistics(background, nil))
		}},
		{"an account's signature for containers does not reach entities", func(a *account) {
			name, table := a.namedTable()
			must(table.CreateTable(background, nil))
			byContainers := opened(a, "sc", everyPermission).NewClient(name)
			_, err := tryAll(byContainers, nil)
			refused(err, 403, "AuthorizationResourceTypeMismatch")
			_, err = byContainers.AddEntity(background, entity("p", "r", nil), nil)
			refused(err, 403, "AuthorizationResourceTypeMismatch")
		}},
		{"an account's signature for entities does not create or delete tables", func(a *account) {
			name, table := a.namedTable()
			must(table.CreateTable(background, nil))
			byObjects := opened(a, "so", everyPermission)
			_, err := byObjects.CreateTable(background, a.freshName(), nil)
			refused(err, 403, "AuthorizationResourceTypeMismatch")
			_, err = byObjects.DeleteTable(background, name, nil)
			refused(err, 403, "AuthorizationResourceTypeMismatch")
		}},
		{"an account's signature without the service does not get or set the properties", func(a *account) {
			bySignature := opened(a, "co", everyPermission)
			_, err := bySignature.GetProperties(background, nil)
			refused(err, 403, "AuthorizationResourceTypeMismatch")
			_, err = bySignature.SetProperties(background, aztables.ServiceProperties{Logging: loggingOff()}, nil)
			refused(err, 403, "AuthorizationResourceTypeMismatch")
		}},
		{"an account's signature never reads or sets policies", func(a *account) {
			name, table := a.namedTable()
			must(table.CreateTable(background, nil))
			bySignature := opened(a, "sco", everyPermission).NewClient(name)
			_, err := bySignature.GetAccessPolicy(background, nil)
			forbidden(err)
			_, err = bySignature.SetAccessPolicy(background, nil)
			forbidden(err)
		}},
		{"an account's signature for everything goes from creating a table to deleting it", func(a *account) {
			name := a.freshName()
			bySignature := opened(a, "sco", everyPermission)
			must(bySignature.CreateTable(background, name, nil))
			table := bySignature.NewClient(name)
			succeeds(submit(table, addingMany(100)...))
			equal("rows", len(all(table, nil)), 100)
			must(table.Delete(background, nil))
		}},
		{"a transaction is refused for the operation that an account's signature does not permit", func(a *account) {
			name, table := a.namedTable()
			must(table.CreateTable(background, nil))
			add(table, "p", "there", nil)
			err := submit(opened(a, "o", "au").NewClient(name), adding("1", nil),
				doing(aztables.TransactionTypeInsertReplace, "2", nil, nil),
				doing(aztables.TransactionTypeDelete, "there", nil, nil))
			refusedAt(err, 2, 403, "AuthorizationPermissionMismatch")
			equal("rows", rowKeys(all(table, nil)), []string{"there"})
		}},
		{"an account's signature for several services is good for tables", func(a *account) {
			values := listing
			values.Services = "bqtf"
			listTables(openAccount(a.endpoint, accountSignature(a, values)), nil)
		}},
		{"an account's signature is good from an address in its range", func(a *account) {
			values := listing
			values.IPRange = anyAddress
			must(openAccount(a.endpoint, accountSignature(a, values)).GetProperties(background, nil))
		}},
		{"an account's signature may have the version of any year up to 2020", func(a *account) {
			for _, version := range []string{"2015-04-05", "2017-07-29", "2019-02-02", "2020-10-02"} {
				values := listing
				values.Version = version
				must(openAccount(a.endpoint, accountSignature(a, values)).GetProperties(background, nil))
			}
		}},
		{"the address that the client signs for an account is good over TLS alone", func(a *account) {
			address := must(a.service.GetAccountSASURL(
				aztables.AccountSASResourceTypes{Service: true, Container: true, Object: true},
				aztables.AccountSASPermissions{Read: true, List: true}, justBefore(), inAnHour()))
			service := must(aztables.NewServiceClientWithNoCredential(address, clientOptions()))
			_, err := service.NewListTablesPager(nil).NextPage(background)
			refused(err, 403, "AuthorizationProtocolMismatch")
		}},
		accountRefused("an account's signature for other services is refused",
			forBlobs, "AuthorizationServiceMismatch"),
		accountRefused("an account's signature without containers does not list tables",
			forEntities, "AuthorizationResourceTypeMismatch"),
		accountRefused("an account's signature without list does not list tables",
			withoutList, "AuthorizationPermissionMismatch"),
		accountRefused("an account's signature that has expired is refused", expired, "AuthenticationFailed"),
		accountRefused("an account's signature that is not valid yet is refused", early, "AuthenticationFailed"),
		accountRefused("an account's signature for TLS alone is refused over HTTP",
			overTLS, "AuthorizationProtocolMismatch"),
		accountRefused("an account's signature for other addresses is refused",
			fromElsewhere, "AuthorizationSourceIPMismatch"),
		{"an account's signature whose permissions were changed is refused", func(a *account) {
			signature := accountSignature(a, aztables.AccountSASSignatureValues{ResourceTypes: "sco", Permissions: "r"})
			changed := strings.Replace(signature, "sp=r&", "sp=rl&", 1)
			holds(changed != signature, "no permission to change in %s", signature)
			_, err := openAccount(a.endpoint, changed).NewListTablesPager(nil).NextPage(background)
			refused(err, 403, "AuthenticationFailed")
		}},
		{"an account's signature by a wrong key is refused", func(a *account) {
			values := listing
			values.Services, values.ExpiryTime = "t", inAnHour()
			signed := must(values.Sign(otherKey(a)))
			_, err := openAccount(a.endpoint, signed.Encode()).NewListTablesPager(nil).NextPage(background)
			refused(err, 403, "AuthenticationFailed")
		}},
	}
}
