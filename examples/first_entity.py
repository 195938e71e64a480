# A table, an entity, a query: against a server started with `npm start`.
from azure.data.tables import TableServiceClient

service = TableServiceClient.from_connection_string(
    "DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;"
    "AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==;"
    "TableEndpoint=http://127.0.0.1:10002/devstoreaccount1;"
)
people = service.create_table_if_not_exists("people")
people.upsert_entity({"PartitionKey": "Sales", "RowKey": "000223", "LastName": "Jones", "Age": 34})
for person in people.query_entities("PartitionKey eq @department", parameters={"department": "Sales"}):
    print(person["RowKey"], person["LastName"], person["Age"])
