/** The addresses that answers name: Location, DataServiceId, odata.id, odata.editLink, odata.metadata. */

/** `mytable(PartitionKey='p',RowKey='O''Hara')`: quotes doubled and raw, all else percent-encoded (recorded). */
export function entityPath(table: string, partitionKey: string, rowKey: string): string {
  return `${table}(PartitionKey='${encodeKey(partitionKey)}',RowKey='${encodeKey(rowKey)}')`;
}

function encodeKey(key: string): string {
  return encodeURIComponent(key).replaceAll("'", "''");
}

/** What entities of one table need at full metadata. */
export interface EntityUrls {
  /** Base address of the account, without a slash at its end. */
  readonly base: string;
  /** `account.table` */
  readonly type: string;
  relative(partitionKey: string, rowKey: string): string;
}

export function entityUrls(base: string, account: string, table: string): EntityUrls {
  return {
    base,
    type: `${account}.${table}`,
    relative: (partitionKey, rowKey) => entityPath(table, partitionKey, rowKey),
  };
}

/** `…/$metadata#mytable`, with `/@Element` for one entity and the list of `$select` as it was given. */
export function metadataUrl(
  base: string,
  collection: string,
  isElement: boolean,
  select: string | undefined,
): string {
  const element = isElement ? '/@Element' : '';
  const suffix = select === undefined ? '' : `&$select=${select.replaceAll(' ', '%20')}`;
  return `${base}/$metadata#${collection}${element}${suffix}`;
}
