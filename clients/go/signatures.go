package main

import (
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
)

// Signatures are valid from a little before now, since clocks differ.
func justBefore() time.Time { return time.Now().UTC().Add(-5 * time.Minute) }
func inAnHour() time.Time   { return time.Now().UTC().Add(time.Hour) }

// otherKey is a credential of the account with a key that is not its own.
func otherKey(a *account) *aztables.SharedKeyCredential {
	return must(aztables.NewSharedKeyCredential(a.credential.AccountName(), "bm90IHRoZSBrZXkgb2YgdGhlIGFjY291bnQ="))
}

// Addresses that every client has, and that no client has (a network for documentation).
var (
	anyAddress = aztables.IPRange{Start: net.IPv4(0, 0, 0, 0), End: net.IPv4(255, 255, 255, 255)}
	noAddress  = aztables.IPRange{Start: net.IPv4(203, 0, 113, 1), End: net.IPv4(203, 0, 113, 9)}
)

// tableSignature signs for a table. An hour of time is given unless the values tell otherwise or name a
// policy. The client signs the ends of a range but leaves them out of the query that it writes, so they are
// added here.
func tableSignature(a *account, values aztables.SASSignatureValues) string {
	if values.Identifier == "" && values.ExpiryTime.IsZero() {
		values.ExpiryTime = inAnHour()
	}
	query := must(url.ParseQuery(must(values.Sign(a.credential))))
	for name, end := range map[string]string{
		"spk": values.StartPartitionKey, "srk": values.StartRowKey,
		"epk": values.EndPartitionKey, "erk": values.EndRowKey,
	} {
		if end != "" {
			query.Set(name, end)
		}
	}
	return query.Encode()
}

// openTable opens a table by a signature alone.
func openTable(a *account, name, signature string) *aztables.Client {
	return must(aztables.NewClientWithNoCredential(a.endpoint+"/"+name+"?"+signature, clientOptions()))
}

// signedTable makes a table, and opens it by a signature of these values too.
func signedTable(a *account, values aztables.SASSignatureValues) (byKey, bySignature *aztables.Client) {
	name, byKey := a.namedTable()
	must(byKey.CreateTable(background, nil))
	values.TableName = name
	return byKey, openTable(a, name, tableSignature(a, values))
}

// accountSignature signs for the account. An hour, tables and both protocols are given unless the values
// tell otherwise.
func accountSignature(a *account, values aztables.AccountSASSignatureValues) string {
	if values.ExpiryTime.IsZero() {
		values.ExpiryTime = inAnHour()
	}
	if values.Services == "" {
		values.Services = "t"
	}
	if values.Protocol == "" {
		values.Protocol = aztables.SASProtocolHTTPSandHTTP
	}
	signed := must(values.Sign(a.credential))
	return signed.Encode()
}

// openAccount opens the account by a signature alone.
func openAccount(endpoint, signature string) *aztables.ServiceClient {
	return must(aztables.NewServiceClientWithNoCredential(endpoint+"/?"+signature, clientOptions()))
}

// An attempt is one operation on a row of its own, which has the attempt's name, and the permissions that it
// needs, all of them. The row is there before, unless the operation may add it.
type attempt struct {
	name, needs   string
	inTransaction bool
	made          func(table *aztables.Client, rowKey string) error
}

var attempts = []attempt{
	{name: "query", needs: "r", made: func(table *aztables.Client, _ string) error {
		_, err := tryAll(table, nil)
		return err
	}},
	{name: "get", needs: "r", made: func(table *aztables.Client, rowKey string) error {
		_, err := table.GetEntity(background, "p", rowKey, nil)
		return err
	}},
	{name: "insert", needs: "a", made: func(table *aztables.Client, rowKey string) error {
		_, err := table.AddEntity(background, entity("p", rowKey, nil), nil)
		return err
	}},
	{name: "replace", needs: "u", made: func(table *aztables.Client, rowKey string) error {
		_, err := update(table, rowKey, nil, aztables.UpdateModeReplace, nil)
		return err
	}},
	{name: "merge", needs: "u", made: func(table *aztables.Client, rowKey string) error {
		_, err := update(table, rowKey, nil, aztables.UpdateModeMerge, nil)
		return err
	}},
	{name: "insert or replace", needs: "au", made: func(table *aztables.Client, rowKey string) error {
		_, err := upsert(table, rowKey, nil, aztables.UpdateModeReplace)
		return err
	}},
	{name: "insert or merge", needs: "au", made: func(table *aztables.Client, rowKey string) error {
		_, err := upsert(table, rowKey, nil, aztables.UpdateModeMerge)
		return err
	}},
	{name: "delete", needs: "d", made: func(table *aztables.Client, rowKey string) error {
		return remove(table, rowKey, nil)
	}},
	operated("insert", "a", action{ActionType: aztables.TransactionTypeAdd}),
	operated("merge", "u", action{ActionType: aztables.TransactionTypeUpdateMerge, IfMatch: to.Ptr(azcore.ETagAny)}),
	operated("insert or replace", "au", action{ActionType: aztables.TransactionTypeInsertReplace}),
	operated("delete", "d", action{ActionType: aztables.TransactionTypeDelete}),
}

// operated is the attempt of one operation in a transaction.
func operated(name, needs string, operation action) attempt {
	return attempt{
		name: name + " in a transaction", needs: needs, inTransaction: true,
		made: func(table *aztables.Client, rowKey string) error {
			operation.Entity = entity("p", rowKey, nil)
			return submit(table, operation)
		},
	}
}

// The codes with which a table's signature is refused that lacks a permission. The service has given the one
// and the other with the years; an account's signature always gets the first.
var notPermitted = []string{"AuthorizationPermissionMismatch", "AuthorizationFailure"}

// permits fails unless the signature permits exactly what its permissions allow: each attempt either
// succeeds, or is refused with one of these codes and changes nothing.
func permits(byKey, bySignature *aztables.Client, permissions string, codes ...string) {
	for _, attempt := range attempts {
		if !strings.Contains(attempt.needs, "a") {
			add(byKey, "p", attempt.name, nil)
		}
		before := all(byKey, nil)
		err := attempt.made(bySignature, attempt.name)
		if strings.Trim(attempt.needs, permissions) == "" {
			holds(err == nil, "%s with %s: %s", attempt.name, permissions, described(err))
			continue
		}
		if attempt.inTransaction {
			refusedAt(err, 0, 403, codes...)
		} else {
			refused(err, 403, codes...)
		}
		equal("rows after "+attempt.name, all(byKey, nil), before)
	}
}
