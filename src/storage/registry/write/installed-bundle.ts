import { readMeta, readNumber, writeMeta } from '../tables.ts'

/** Returns false if the bundle is installed already or is from an older deployment. */
export function isNewBundle(sql: SqlStorage, hash: string, deployedAt: number): boolean {
  if (readMeta(sql, 'bundle') === hash) return false
  return deployedAt === 0 || deployedAt >= readNumber(sql, 'bundle_at')
}

/** Notes a redeployment of the installed bundle, which outdates bundles of earlier deployments. */
export function recordDeployment(sql: SqlStorage, hash: string, deployedAt: number): void {
  const newer = deployedAt > readNumber(sql, 'bundle_at')
  if (newer && readMeta(sql, 'bundle') === hash) writeMeta(sql, 'bundle_at', String(deployedAt))
}
