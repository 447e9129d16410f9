import type { Authorization, ToolkitConsent } from '../../core/consent/authorization.ts'
import { missingScopes } from '../../core/consent/oauth-scopes.ts'
import { parseToolId } from '../../core/tool/tool-id.ts'
import { column, readField, firstRow, rows } from '../rows.ts'

type ConsentRow = {
  readonly toolkit: string
  readonly hosts: string
  readonly scopes: string
  readonly given_at: number
}

export type GrantUse = ReturnType<typeof toGrantUse>

type UseRequest = Pick<Authorization, 'provider' | 'tool' | 'hosts' | 'scopes'>

export function toGrantUse({ provider, tool, hosts, scopes }: UseRequest, account: string) {
  return { provider, account, toolkit: parseToolId(tool)?.toolkit ?? tool, hosts, scopes }
}

export type ConsentRows = ReturnType<typeof consentRows>

/** Stores which toolkits may use the grant of an account, for which scopes and at which hosts. No function awaits anything. */
export function consentRows(sql: SqlStorage, now: () => number) {
  function read({ provider, account, toolkit }: GrantUse) {
    const query = 'SELECT * FROM consent WHERE provider = ? AND account = ? AND toolkit = ?'
    const row = firstRow<ConsentRow>(sql, query, provider, account, toolkit)
    return row && toConsent(row)
  }

  return {
    /** A consent without scopes is as valid as any other. */
    covers(use: GrantUse): boolean {
      const consent = read(use)
      return (
        consent !== undefined &&
        use.hosts.every((host) => consent.hosts.includes(host)) &&
        missingScopes(use.provider, consent.scopes, use.scopes).length === 0
      )
    },

    give(use: GrantUse): void {
      const consent = read(use)
      const hosts = [...new Set([...(consent?.hosts ?? []), ...use.hosts])]
      const scopes = [...new Set([...(consent?.scopes ?? []), ...use.scopes])]
      const row = [use.provider, use.account, use.toolkit, JSON.stringify(hosts), JSON.stringify(scopes), now()]
      sql.exec('INSERT OR REPLACE INTO consent VALUES (?, ?, ?, ?, ?, ?)', ...row)
    },

    accounts(provider: string, toolkit: string): string[] {
      const query = 'SELECT account FROM consent WHERE provider = ? AND toolkit = ? ORDER BY account'
      return column<string>(sql, query, provider, toolkit)
    },

    of(provider: string, account: string): ToolkitConsent[] {
      const query = 'SELECT * FROM consent WHERE provider = ? AND account = ? ORDER BY toolkit'
      return rows<ConsentRow>(sql, query, provider, account).map(toConsent)
    },

    remove(provider: string, account: string, toolkit?: string): boolean {
      const which =
        'DELETE FROM consent WHERE provider = ? AND account = ? AND (? IS NULL OR toolkit = ?) RETURNING toolkit'
      return readField(sql, which, provider, account, toolkit ?? null, toolkit ?? null) !== undefined
    },
  }
}

function toConsent({ toolkit, hosts, scopes, given_at }: ConsentRow): ToolkitConsent {
  return { toolkit, hosts: JSON.parse(hosts), scopes: JSON.parse(scopes), given_at: new Date(given_at).toISOString() }
}
