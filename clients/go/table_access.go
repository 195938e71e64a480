package main

import (
	"net/url"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
)

// tablePermission is the behaviour that a table's signature permits exactly what its letters say.
func tablePermission(name, permissions string) behaviour {
	return behaviour{name, func(a *account) {
		byKey, bySignature := signedTable(a, aztables.SASSignatureValues{Permissions: permissions})
		permits(byKey, bySignature, permissions, notPermitted...)
	}}
}

// tableSignatureRefused is the behaviour that a read by a signature of these values is refused. The values
// are completed with the table's name, and the signed query may be changed before it is used.
func tableSignatureRefused(name string, values aztables.SASSignatureValues, code string,
	changed func(signature string) string) behaviour {
	return behaviour{name, func(a *account) {
		table, client := a.namedTable()
		must(client.CreateTable(background, nil))
		values.TableName = table
		signature := tableSignature(a, values)
		if changed != nil {
			signature = changed(signature)
		}
		_, err := tryAll(openTable(a, table, signature), nil)
		refused(err, 403, code)
	}}
}

func tableSignatureCases() []behaviour {
	reading := aztables.SASSignatureValues{Permissions: "r"}
	expired, early := reading, reading
	expired.ExpiryTime = justBefore()
	early.StartTime = inAnHour()
	overTLS, fromElsewhere := reading, reading
	overTLS.Protocol = aztables.SASProtocolHTTPS
	fromElsewhere.IPRange = noAddress
	return []behaviour{
		tablePermission("a table's signature to read permits queries and point reads alone", "r"),
		tablePermission("a table's signature to add permits inserts alone", "a"),
		tablePermission("a table's signature to update permits updates alone", "u"),
		tablePermission("a table's signature to delete permits deletes alone", "d"),
		tablePermission("a table's signature to add and update permits upserts too", "au"),
		tablePermission("a table's signature for everything permits every operation on entities", "raud"),
		{"the address that the client signs for a table opens it", func(a *account) {
			// The client puts the table's name right behind the address of the account.
			service := must(aztables.NewServiceClientWithSharedKey(a.endpoint+"/", a.credential, clientOptions()))
			table := service.NewClient(a.freshName())
			must(table.CreateTable(background, nil))
			permissions := aztables.SASPermissions{Read: true, Add: true, Update: true, Delete: true}
			address := must(table.GetTableSASURL(permissions, justBefore(), inAnHour()))
			bySignature := must(aztables.NewClientWithNoCredential(address, clientOptions()))
			permits(table, bySignature, permissions.String(), notPermitted...)
		}},
		{"a table's signature is good for the table's name in any case", func(a *account) {
			name, table := a.namedTable()
			must(table.CreateTable(background, nil))
			for _, signed := range []string{strings.ToUpper(name), strings.ToLower(name)} {
				signature := tableSignature(a, aztables.SASSignatureValues{TableName: signed, Permissions: "r"})
				all(openTable(a, name, signature), nil)
				all(openTable(a, strings.ToUpper(name), signature), nil)
			}
		}},
		{"a table's signature is not good for another table", func(a *account) {
			signature := tableSignature(a, aztables.SASSignatureValues{TableName: a.freshName(), Permissions: "r"})
			name, table := a.namedTable()
			must(table.CreateTable(background, nil))
			_, err := tryAll(openTable(a, name, signature), nil)
			forbidden(err)
		}},
		{"a table's signature never creates, lists or deletes tables", func(a *account) {
			name, table := a.namedTable()
			must(table.CreateTable(background, nil))
			bySignature := openAccount(a.endpoint,
				tableSignature(a, aztables.SASSignatureValues{TableName: name, Permissions: "raud"}))
			_, err := bySignature.CreateTable(background, a.freshName(), nil)
			forbidden(err)
			_, err = bySignature.NewListTablesPager(nil).NextPage(background)
			forbidden(err)
			_, err = bySignature.DeleteTable(background, name, nil)
			forbidden(err)
			all(table, nil)
		}},
		{"a table's signature never reads or sets policies or the service's properties", func(a *account) {
			name, table := a.namedTable()
			must(table.CreateTable(background, nil))
			signature := tableSignature(a, aztables.SASSignatureValues{TableName: name, Permissions: "raud"})
			bySignature := openTable(a, name, signature)
			_, err := bySignature.GetAccessPolicy(background, nil)
			forbidden(err)
			_, err = bySignature.SetAccessPolicy(background, nil)
			forbidden(err)
			_, err = openAccount(a.endpoint, signature).GetProperties(background, nil)
			forbidden(err)
			_, err = openAccount(a.endpoint, signature).SetProperties(background,
				aztables.ServiceProperties{Logging: loggingOff()}, nil)
			forbidden(err)
		}},
		{"a table's signature on a table that is not there finds none", func(a *account) {
			name := a.freshName()
			signature := tableSignature(a, aztables.SASSignatureValues{TableName: name, Permissions: "r"})
			_, err := tryAll(openTable(a, name, signature), nil)
			refused(err, 404, "TableNotFound")
		}},
		{"a transaction is refused for the operation that a table's signature does not permit", func(a *account) {
			byKey, bySignature := signedTable(a, aztables.SASSignatureValues{Permissions: "ra"})
			add(byKey, "p", "there", nil)
			err := submit(bySignature, adding("1", nil), adding("2", nil),
				doing(aztables.TransactionTypeDelete, "there", nil, nil))
			refusedAt(err, 2, 403, notPermitted...)
			equal("rows", rowKeys(all(byKey, nil)), []string{"there"})
			succeeds(submit(bySignature, adding("1", nil), adding("2", nil)))
		}},
		{"special keys go through every operation by a table's signature", func(a *account) {
			byKey, bySignature := signedTable(a, aztables.SASSignatureValues{Permissions: "raud"})
			for _, special := range specialKeys {
				add(bySignature, special.key, special.key, nil)
				equal("row key", get(bySignature, special.key, special.key)["RowKey"], any(special.key))
				must(bySignature.UpdateEntity(background, entity(special.key, special.key, members{"New": 1}), nil))
				equal("queried", matching(bySignature, filterFor(special.key, special.key)), []string{special.key})
				must(bySignature.DeleteEntity(background, special.key, special.key, nil))
			}
			equal("rows", len(all(byKey, nil)), 0)
		}},
		{"a table's signature reads from the secondary", func(a *account) {
			name, table := a.namedTable()
			must(table.CreateTable(background, nil))
			add(table, "p", "r", nil)
			signature := tableSignature(a, aztables.SASSignatureValues{TableName: name, Permissions: "r"})
			address := a.secondaryEndpoint + "/" + name + "?" + signature
			secondary := must(aztables.NewClientWithNoCredential(address, clientOptions()))
			equal("rows", rowKeys(all(secondary, nil)), []string{"r"})
		}},
		{"a table's signature is good from an address in its range", func(a *account) {
			_, bySignature := signedTable(a, aztables.SASSignatureValues{Permissions: "r", IPRange: anyAddress})
			all(bySignature, nil)
		}},
		{"a table's signature for both protocols is good over HTTP", func(a *account) {
			_, bySignature := signedTable(a, aztables.SASSignatureValues{
				Permissions: "r", Protocol: aztables.SASProtocolHTTPSandHTTP,
			})
			all(bySignature, nil)
		}},
		{"a table's signature may have the version of any year since 2015", func(a *account) {
			for _, version := range []string{"2015-04-05", "2018-03-28", "2020-12-06", "2024-11-04"} {
				_, bySignature := signedTable(a, aztables.SASSignatureValues{Permissions: "r", Version: version})
				all(bySignature, nil)
			}
		}},
		tableSignatureRefused("a table's signature that has expired is refused", expired, "AuthenticationFailed", nil),
		tableSignatureRefused("a table's signature that is not valid yet is refused",
			early, "AuthenticationFailed", nil),
		tableSignatureRefused("a table's signature for TLS alone is refused over HTTP",
			overTLS, "AuthorizationProtocolMismatch", nil),
		tableSignatureRefused("a table's signature for other addresses is refused",
			fromElsewhere, "AuthorizationSourceIPMismatch", nil),
		tableSignatureRefused("a table's signature whose permissions were changed is refused",
			reading, "AuthenticationFailed", func(signature string) string {
				return strings.Replace(signature, "sp=r", "sp=raud", 1)
			}),
		tableSignatureRefused("a table's signature whose expiry was taken away is refused",
			reading, "AuthenticationFailed", func(signature string) string {
				query := must(url.ParseQuery(signature))
				query.Del("se")
				return query.Encode()
			}),
		{"a table's signature by a wrong key is refused", func(a *account) {
			name, table := a.namedTable()
			must(table.CreateTable(background, nil))
			signature := must(aztables.SASSignatureValues{
				TableName: name, Permissions: "r", ExpiryTime: inAnHour(),
			}.Sign(otherKey(a)))
			_, err := tryAll(openTable(a, name, signature), nil)
			refused(err, 403, "AuthenticationFailed")
		}},
	}
}
