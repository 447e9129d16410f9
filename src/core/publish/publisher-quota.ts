export interface PublishedTotals {
  readonly documents: number
  readonly bytes: number
}

export function findQuotaDenial(quota: PublishedTotals | undefined, before: PublishedTotals, bytes: number) {
  if (!quota) return undefined
  const raise = 'an administrator sees what each key has published in GET /keys, and raises it in PUBLISHER_QUOTA'
  if (before.documents >= quota.documents) {
    return `The credential has published ${before.documents} documents, of ${quota.documents} that one may: ${raise}`
  }
  if (before.bytes + bytes > quota.bytes) {
    return `The credential has published ${before.bytes} bytes, of ${quota.bytes} that one may, and this takes ${bytes} more: ${raise}`
  }
  return undefined
}
