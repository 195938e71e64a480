package main

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	azurepolicy "github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
)

// stored is a policy that gives permissions for an hour.
func stored(id, permissions string) *aztables.SignedIdentifier {
	return &aztables.SignedIdentifier{ID: &id, AccessPolicy: &aztables.AccessPolicy{
		Start:      to.Ptr(justBefore().Truncate(time.Second)),
		Expiry:     to.Ptr(inAnHour().Truncate(time.Second)),
		Permission: &permissions,
	}}
}

func setPolicies(table *aztables.Client, policies ...*aztables.SignedIdentifier) {
	must(table.SetAccessPolicy(background, &aztables.SetAccessPolicyOptions{TableACL: policies}))
}

func getPolicies(table *aztables.Client) []*aztables.SignedIdentifier {
	return must(table.GetAccessPolicy(background, nil)).SignedIdentifiers
}

// policyComesBack is the behaviour that a table has exactly the policies that it was given.
func policyComesBack(name string, policies ...*aztables.SignedIdentifier) behaviour {
	return behaviour{name, func(a *account) {
		table := a.table()
		setPolicies(table, policies...)
		found := getPolicies(table)
		equal("policies", len(found), len(policies))
		for i, policy := range policies {
			equal("policy", *found[i], *policy)
		}
	}}
}

// byPolicy makes a table with a policy named id, and opens it by a signature of that policy.
func byPolicy(a *account, policy *aztables.SignedIdentifier, others aztables.SASSignatureValues) (
	byKey, bySignature *aztables.Client,
) {
	others.Identifier = "id"
	byKey, bySignature = signedTable(a, others)
	setPolicies(byKey, policy)
	return byKey, bySignature
}

func policyCases() []behaviour {
	five := []*aztables.SignedIdentifier{}
	for i := range 5 {
		five = append(five, stored(fmt.Sprint("policy", i), "r"))
	}
	return []behaviour{
		{"a new table has no policies", func(a *account) { equal("policies", len(getPolicies(a.table())), 0) }},
		policyComesBack("a policy comes back with its times and its permissions", stored("id", "raud")),
		policyComesBack("a policy of permissions alone comes back so", &aztables.SignedIdentifier{
			ID: to.Ptr("partial"), AccessPolicy: &aztables.AccessPolicy{Permission: to.Ptr("r")},
		}),
		policyComesBack("a policy of an expiry alone comes back so", &aztables.SignedIdentifier{
			ID:           to.Ptr("partial"),
			AccessPolicy: &aztables.AccessPolicy{Expiry: to.Ptr(time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC))},
		}),
		policyComesBack("a policy of an id alone comes back so", &aztables.SignedIdentifier{ID: to.Ptr("empty")}),
		policyComesBack("a policy's id may have any characters, and 64 of them",
			stored(`read "only" & <more>`, "r"), stored("表格 Grüße", "r"), stored(strings.Repeat("i", 64), "r")),
		policyComesBack("a table has up to five policies", five...),
		{"a sixth policy is refused, and the policies stay", func(a *account) {
			table := a.table()
			setPolicies(table, stored("id", "r"))
			var response *http.Response
			// The client reports its own error, the answer behind it is the service's.
			_, err := table.SetAccessPolicy(azurepolicy.WithCaptureResponse(background, &response),
				&aztables.SetAccessPolicyOptions{TableACL: append(five[:5:5], stored("sixth", "r"))})
			holds(err != nil, "six policies were set")
			refused(runtime.NewResponseError(response), 400, "InvalidXmlDocument")
			equal("policies", len(getPolicies(table)), 1)
		}},
		{"a policy without an id is refused", func(a *account) {
			_, err := a.table().SetAccessPolicy(background, &aztables.SetAccessPolicyOptions{
				TableACL: []*aztables.SignedIdentifier{{AccessPolicy: &aztables.AccessPolicy{Permission: to.Ptr("r")}}},
			})
			refused(err, 400, "InvalidXmlDocument")
		}},
		{"policies replace those before them", func(a *account) {
			table := a.table()
			setPolicies(table, stored("first", "r"), stored("second", "r"))
			setPolicies(table, stored("third", "d"))
			found := getPolicies(table)
			equal("policies", len(found), 1)
			equal("id", *found[0].ID, "third")
		}},
		{"policies are cleared by setting none", func(a *account) {
			table := a.table()
			setPolicies(table, stored("id", "r"))
			must(table.SetAccessPolicy(background, nil))
			equal("policies", len(getPolicies(table)), 0)
		}},
		{"policies go with their table", func(a *account) {
			table := a.table()
			setPolicies(table, stored("id", "r"))
			must(table.Delete(background, nil))
			must(table.CreateTable(background, nil))
			equal("policies", len(getPolicies(table)), 0)
		}},
		{"a table that is not there has no policies to get or set", func(a *account) {
			_, table := a.namedTable()
			_, err := table.GetAccessPolicy(background, nil)
			refused(err, 404, "TableNotFound")
			_, err = table.SetAccessPolicy(background,
				&aztables.SetAccessPolicyOptions{TableACL: []*aztables.SignedIdentifier{stored("id", "r")}})
			refused(err, 404, "TableNotFound")
		}},
		{"a signature by a policy permits exactly what the policy says", func(a *account) {
			byKey, bySignature := byPolicy(a, stored("id", "ra"), aztables.SASSignatureValues{})
			permits(byKey, bySignature, "ra", notPermitted...)
		}},
		{"a policy may give the permissions and the signature the time", func(a *account) {
			policy := &aztables.SignedIdentifier{
				ID: to.Ptr("id"), AccessPolicy: &aztables.AccessPolicy{Permission: to.Ptr("r")},
			}
			byKey, bySignature := byPolicy(a, policy, aztables.SASSignatureValues{ExpiryTime: inAnHour()})
			permits(byKey, bySignature, "r", notPermitted...)
		}},
		{"a policy may give the time and the signature the permissions", func(a *account) {
			policy := stored("id", "")
			policy.AccessPolicy.Permission = nil
			byKey, bySignature := byPolicy(a, policy, aztables.SASSignatureValues{Permissions: "a"})
			permits(byKey, bySignature, "a", notPermitted...)
		}},
		{"a signature by a policy may be for a range", func(a *account) {
			byKey, bySignature := byPolicy(a, stored("id", "r"), aztables.SASSignatureValues{
				StartPartitionKey: "b", EndPartitionKey: "b",
			})
			add(byKey, "a", "out", nil)
			add(byKey, "b", "in", nil)
			equal("rows", rowKeys(all(bySignature, nil)), []string{"in"})
		}},
		{"a policy that is taken away ends its signatures at once", func(a *account) {
			byKey, bySignature := byPolicy(a, stored("id", "r"), aztables.SASSignatureValues{})
			all(bySignature, nil)
			setPolicies(byKey, stored("other", "r"))
			_, err := tryAll(bySignature, nil)
			refused(err, 403, "AuthenticationFailed")
			must(byKey.SetAccessPolicy(background, nil))
			_, err = tryAll(bySignature, nil)
			refused(err, 403, "AuthenticationFailed")
		}},
		{"a policy that is changed changes its signatures at once", func(a *account) {
			byKey, bySignature := byPolicy(a, stored("id", "r"), aztables.SASSignatureValues{})
			all(bySignature, nil)
			setPolicies(byKey, stored("id", "d"))
			_, err := tryAll(bySignature, nil)
			refused(err, 403, notPermitted...)
			add(byKey, "p", "r", nil)
			succeeds(remove(bySignature, "r", nil))
		}},
		{"a signature by a policy that has expired is refused", func(a *account) {
			policy := stored("id", "r")
			policy.AccessPolicy.Expiry = to.Ptr(justBefore().Truncate(time.Second))
			policy.AccessPolicy.Start = nil
			_, bySignature := byPolicy(a, policy, aztables.SASSignatureValues{})
			_, err := tryAll(bySignature, nil)
			refused(err, 403, "AuthenticationFailed")
		}},
		{"a signature by a policy that has not begun is refused", func(a *account) {
			policy := stored("id", "r")
			policy.AccessPolicy.Start = to.Ptr(time.Now().UTC().Add(30 * time.Minute).Truncate(time.Second))
			_, bySignature := byPolicy(a, policy, aztables.SASSignatureValues{})
			_, err := tryAll(bySignature, nil)
			refused(err, 403, "AuthenticationFailed")
		}},
		{"a signature by a policy that is not there is refused", func(a *account) {
			_, bySignature := byPolicy(a, stored("ID", "r"), aztables.SASSignatureValues{})
			_, err := tryAll(bySignature, nil)
			refused(err, 403, "AuthenticationFailed")
		}},
		{"a signature without a time, of a policy without one, is refused", func(a *account) {
			_, bySignature := byPolicy(a, &aztables.SignedIdentifier{ID: to.Ptr("id")},
				aztables.SASSignatureValues{Permissions: "r"})
			_, err := tryAll(bySignature, nil)
			refused(err, 403, "AuthenticationFailed")
		}},
		{"a signature without permissions, of a policy without any, is refused", func(a *account) {
			_, bySignature := byPolicy(a, &aztables.SignedIdentifier{ID: to.Ptr("id")},
				aztables.SASSignatureValues{ExpiryTime: inAnHour()})
			_, err := tryAll(bySignature, nil)
			refused(err, 403, "AuthenticationFailed")
		}},
	}
}
