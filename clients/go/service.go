package main

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
)

func days(count int32) *aztables.RetentionPolicy {
	return &aztables.RetentionPolicy{Enabled: to.Ptr(true), Days: &count}
}

func noRetention() *aztables.RetentionPolicy {
	return &aztables.RetentionPolicy{Enabled: to.Ptr(false)}
}

func loggingOff() *aztables.Logging {
	return &aztables.Logging{
		Version: to.Ptr("1.0"), Read: to.Ptr(false), Write: to.Ptr(false), Delete: to.Ptr(false),
		RetentionPolicy: noRetention(),
	}
}

func metricsOff() *aztables.Metrics {
	return &aztables.Metrics{Version: to.Ptr("1.0"), Enabled: to.Ptr(false), RetentionPolicy: noRetention()}
}

func metricsOn() *aztables.Metrics {
	return &aztables.Metrics{
		Version: to.Ptr("1.0"), Enabled: to.Ptr(true), IncludeAPIs: to.Ptr(true), RetentionPolicy: days(5),
	}
}

// noRules clears the rules: the client leaves an empty list out, but writes an empty element for a list of
// nothing.
var noRules = []*aztables.CorsRule{nil}

func rule(origin string) *aztables.CorsRule {
	return &aztables.CorsRule{
		AllowedOrigins: &origin, AllowedMethods: to.Ptr("GET,PUT"), MaxAgeInSeconds: to.Ptr(int32(500)),
		AllowedHeaders: to.Ptr("x-ms-meta-xyz,x-ms-meta-data*"), ExposedHeaders: to.Ptr("x-ms-meta-abc"),
	}
}

func rules(count int) []*aztables.CorsRule {
	made := make([]*aztables.CorsRule, count)
	for i := range made {
		made[i] = rule(fmt.Sprintf("http://www%d.contoso.com", i))
	}
	return made
}

func setProperties(a *account, properties aztables.ServiceProperties) {
	must(a.service.SetProperties(background, properties, nil))
}

func getProperties(a *account) aztables.ServiceProperties {
	return must(a.service.GetProperties(background, nil)).ServiceProperties
}

// withProperties is a behaviour of the account's properties. They are one for the whole account, so each
// case begins from what a new account has, and ends there.
func withProperties(name string, shown func(a *account)) behaviour {
	reset := func(a *account) {
		setProperties(a, aztables.ServiceProperties{
			Logging: loggingOff(), HourMetrics: metricsOff(), MinuteMetrics: metricsOff(), Cors: noRules,
		})
	}
	return behaviour{name, func(a *account) {
		reset(a)
		defer reset(a)
		shown(a)
	}}
}

// propertiesRefused is the behaviour that these properties are refused, and that those before them stay.
func propertiesRefused(name string, properties aztables.ServiceProperties) behaviour {
	return withProperties(name, func(a *account) {
		setProperties(a, aztables.ServiceProperties{Cors: rules(1)})
		before := getProperties(a)
		_, err := a.service.SetProperties(background, properties, nil)
		refused(err, 400, "InvalidXmlDocument")
		equal("properties", getProperties(a), before)
	})
}

func serviceCases() []behaviour {
	tooLong, withoutDays, withoutAPIs := metricsOn(), metricsOn(), metricsOn()
	tooLong.RetentionPolicy = days(366)
	withoutDays.RetentionPolicy.Days = nil
	withoutAPIs.IncludeAPIs = nil
	withoutVersion := loggingOff()
	withoutVersion.Version = nil
	return []behaviour{
		withProperties("logging, metrics and rules are off unless they are set", func(a *account) {
			equal("properties", getProperties(a), aztables.ServiceProperties{
				Logging: loggingOff(), HourMetrics: metricsOff(), MinuteMetrics: metricsOff(),
			})
		}),
		withProperties("logging comes back as it was set", func(a *account) {
			logging := &aztables.Logging{
				Version: to.Ptr("1.0"), Read: to.Ptr(true), Write: to.Ptr(true), Delete: to.Ptr(false),
				RetentionPolicy: days(7),
			}
			setProperties(a, aztables.ServiceProperties{Logging: logging})
			equal("logging", getProperties(a).Logging, logging)
		}),
		withProperties("metrics of hours come back as they were set", func(a *account) {
			setProperties(a, aztables.ServiceProperties{HourMetrics: metricsOn()})
			equal("metrics", getProperties(a).HourMetrics, metricsOn())
			equal("the other metrics", getProperties(a).MinuteMetrics, metricsOff())
		}),
		withProperties("metrics of minutes come back as they were set", func(a *account) {
			setProperties(a, aztables.ServiceProperties{MinuteMetrics: metricsOn()})
			equal("metrics", getProperties(a).MinuteMetrics, metricsOn())
			equal("the other metrics", getProperties(a).HourMetrics, metricsOff())
		}),
		withProperties("five rules come back as they were set", func(a *account) {
			setProperties(a, aztables.ServiceProperties{Cors: rules(5)})
			equal("rules", getProperties(a).Cors, rules(5))
		}),
		withProperties("a rule may have no headers and any origin", func(a *account) {
			open := rule("*")
			open.AllowedHeaders, open.ExposedHeaders, open.MaxAgeInSeconds = to.Ptr(""), to.Ptr(""), to.Ptr(int32(0))
			setProperties(a, aztables.ServiceProperties{Cors: []*aztables.CorsRule{open}})
			equal("rules", getProperties(a).Cors, []*aztables.CorsRule{open})
		}),
		withProperties("properties that are not mentioned stay", func(a *account) {
			logging := loggingOff()
			logging.Delete = to.Ptr(true)
			setProperties(a, aztables.ServiceProperties{Logging: logging})
			setProperties(a, aztables.ServiceProperties{HourMetrics: metricsOn()})
			setProperties(a, aztables.ServiceProperties{Cors: rules(2)})
			equal("properties", getProperties(a), aztables.ServiceProperties{
				Logging: logging, HourMetrics: metricsOn(), MinuteMetrics: metricsOff(), Cors: rules(2),
			})
		}),
		withProperties("an empty list clears the rules", func(a *account) {
			setProperties(a, aztables.ServiceProperties{Cors: rules(2)})
			setProperties(a, aztables.ServiceProperties{Cors: noRules})
			equal("rules", len(getProperties(a).Cors), 0)
		}),
		withProperties("what was gotten may be set as it is", func(a *account) {
			setProperties(a, aztables.ServiceProperties{HourMetrics: metricsOn(), Cors: rules(1)})
			before := getProperties(a)
			setProperties(a, before)
			equal("properties", getProperties(a), before)
		}),
		propertiesRefused("six rules are refused", aztables.ServiceProperties{Cors: rules(6)}),
		propertiesRefused("a retention of 366 days is refused", aztables.ServiceProperties{MinuteMetrics: tooLong}),
		propertiesRefused("a retention without its days is refused",
			aztables.ServiceProperties{HourMetrics: withoutDays}),
		propertiesRefused("metrics that are on need to say whether of operations too",
			aztables.ServiceProperties{HourMetrics: withoutAPIs}),
		propertiesRefused("logging without its version is refused",
			aztables.ServiceProperties{Logging: withoutVersion}),
		propertiesRefused("properties of nothing are refused", aztables.ServiceProperties{}),
		{"the connection string opens the account", func(a *account) {
			service := must(aztables.NewServiceClientFromConnectionString(a.connectionString, clientOptions()))
			name := a.freshName()
			must(service.CreateTable(background, name, nil))
			add(service.NewClient(name), "p", "r", nil)
		}},
		{"a request by a wrong key is refused", func(a *account) {
			service := must(aztables.NewServiceClientWithSharedKey(a.endpoint, otherKey(a), clientOptions()))
			_, err := service.CreateTable(background, a.freshName(), nil)
			refused(err, 403, "AuthenticationFailed")
			_, err = service.GetProperties(background, nil)
			refused(err, 403, "AuthenticationFailed")
			refused(submit(service.NewClient(a.freshName()), adding("r", nil)), 403, "AuthenticationFailed")
		}},
		{"a request without credentials is refused", func(a *account) {
			service := must(aztables.NewServiceClientWithNoCredential(a.endpoint, clientOptions()))
			_, err := service.NewListTablesPager(nil).NextPage(background)
			forbidden(err)
		}},
		{"an answer tells the request's version and id, and an id of its own", func(a *account) {
			var response *http.Response
			header := http.Header{"x-ms-client-request-id": {"the id of the client"}}
			captured := policy.WithCaptureResponse(policy.WithHTTPHeader(background, header), &response)
			must(a.service.NewListTablesPager(nil).NextPage(captured))
			equal("version", response.Header.Get("x-ms-version"), "2019-02-02")
			equal("client's id", response.Header.Get("x-ms-client-request-id"), "the id of the client")
			holds(response.Header.Get("x-ms-request-id") != "", "no x-ms-request-id")
		}},
	}
}

func secondaryCases() []behaviour {
	secondary := func(a *account) *aztables.ServiceClient {
		return must(aztables.NewServiceClientWithSharedKey(a.secondaryEndpoint, a.credential, clientOptions()))
	}
	return []behaviour{
		{"the secondary tells the state of the replication", func(a *account) {
			replication := must(secondary(a).GetStatistics(background, nil)).GeoReplication
			equal("status", *replication.Status, aztables.GeoReplicationStatusLive)
			age := time.Since(*replication.LastSyncTime)
			holds(age > -time.Minute && age < time.Hour, "the last synchronisation was %v ago", age)
		}},
		{"the primary has no statistics", func(a *account) {
			_, err := a.service.GetStatistics(background, nil)
			refused(err, 400, "InvalidQueryParameterValue")
		}},
		{"the secondary reads tables and entities, special keys among them", func(a *account) {
			names, filter := family(a, 1)
			add(a.service.NewClient(names[0]), "O'Hara", "a b%20表", members{"Word": "w"})
			reader := secondary(a)
			equal("listed", listTables(reader, &aztables.ListTablesOptions{Filter: &filter}), [][]string{names})
			table := reader.NewClient(names[0])
			equal("queried", matching(table, filterFor("O'Hara", "a b%20表")), []string{"a b%20表"})
			equal("word", get(table, "O'Hara", "a b%20表")["Word"], any("w"))
		}},
		{"the secondary pages by token", func(a *account) {
			name, table := a.namedTable()
			must(table.CreateTable(background, nil))
			succeeds(submit(table, addingMany(5)...))
			options := &aztables.ListEntitiesOptions{Top: to.Ptr(int32(2))}
			equal("pages", pageSizes(secondary(a).NewClient(name), options), []int{2, 2, 1})
		}},
		{"the secondary writes nothing", func(a *account) {
			name, byKey := a.namedTable()
			must(byKey.CreateTable(background, nil))
			add(byKey, "p", "r", nil)
			before := all(byKey, nil)
			service := secondary(a)
			table := service.NewClient(name)
			_, created := service.CreateTable(background, a.freshName(), nil)
			_, dropped := service.DeleteTable(background, name, nil)
			_, inserted := table.AddEntity(background, entity("p", "new", nil), nil)
			_, updated := update(table, "r", nil, aztables.UpdateModeReplace, nil)
			_, upserted := upsert(table, "r", nil, aztables.UpdateModeMerge)
			deleted, submitted := remove(table, "r", nil), submit(table, adding("new", nil))
			for _, err := range []error{created, dropped, inserted, updated, upserted, deleted, submitted} {
				forbidden(err)
				holds(strings.Contains(err.Error(), "WriteOperationNotSupportedOnSecondary"), "%v", err)
			}
			equal("entities", all(byKey, nil), before)
		}},
	}
}
