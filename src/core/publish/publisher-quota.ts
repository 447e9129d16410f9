export interface PublishedTotals {
  readonly documents: number
  readonly bytes: number
}

export function findQuotaDenial(quota: PublishedTotals | undefined, published: PublishedTotals, bytes: number) {
  if (!quota) return undefined
  const advice = 'an administrator sees what each key has published in GET /keys, and raises it in PUBLISHER_QUOTA'
  if (published.documents >= quota.documents) {
    return `The credential has published ${published.documents} documents, of ${quota.documents} that one may: ${advice}`
  }
  if (published.bytes + bytes > quota.bytes) {
    return `The credential has published ${published.bytes} bytes, of ${quota.bytes} that one may, and this takes ${bytes} more: ${advice}`
  }
  return undefined
}
