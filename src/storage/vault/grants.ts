import type { Grant } from '../../core/consent/authorization.ts'
import type { Provider } from '../../core/consent/provider.ts'
import type { Unavailable } from '../../core/call/requirements.ts'
import { missingScopes, unionScopes } from '../../core/consent/oauth-scopes.ts'
import type { Keyring } from '../keyring.ts'
import type { OAuth, Tokens } from './oauth.ts'

/** Why nothing can be granted to a deployment that has no keys. */
export const NO_KEYS =
  "This Switchboard keeps no grants yet: an administrator must set the Worker secret 'VAULT_KEYS', to what `openssl rand -base64 32` gives"

/** A token; or why there is none for now; or what the user has to be asked for, and why. */
export type Held =
  { readonly token: string } | Unavailable | { readonly scopes: readonly string[]; readonly reason: string }

export interface TokenWanted {
  readonly userId: string
  readonly provider: Provider
  readonly scopes: readonly string[]
  /** The id of the tool that wants it. */
  readonly tool: string
  /** A token that the API did not take; `final`: nor one that was given in place of another. */
  readonly refused?: { readonly token: string; readonly final: boolean }
}

/** The grants of one user. */
export interface Grants {
  token(wanted: TokenWanted): Promise<Held>
  /** Seals tokens for `store`, which must not wait. */
  seal(userId: string, provider: string, tokens: Tokens): Promise<string>
  /** Keeps what a user granted, in place of what was there. */
  store(provider: string, tokens: Tokens, scopes: readonly string[], sealed: string): void
  list(): Grant[]
  /** Forgets a grant, then has the provider do so too. False when there was none. */
  revoke(userId: string, provider: string, at: Provider | undefined): Promise<boolean>
}

interface Row {
  readonly [column: string]: SqlStorageValue
  readonly provider: string
  /** Another one whenever its tokens change. */
  readonly generation: string
  readonly scopes: string
  readonly granted_at: number
  readonly expires_at: number | null
  readonly refresh_at: number | null
  readonly refreshable: number
  /** Null once the provider no longer accepts the grant, and `lost` says so. */
  readonly sealed: string | null
  readonly lost: string | null
}

/** A token is refreshed this long before it ends, or half its life where that is shorter. */
const AHEAD_MS = 60_000

export interface GrantsDeps {
  readonly sql: SqlStorage
  readonly keyring: Keyring
  readonly oauth: OAuth
  readonly now: () => number
}

export function createGrants({ sql, keyring, oauth, now }: GrantsDeps): Grants {
  /** Refreshes under way, by the generation of their grant: whoever comes meanwhile waits for the same one. */
  const refreshing = new Map<string, Promise<Unavailable | 'settled'>>()

  function read(provider: string): Row | undefined {
    return sql.exec<Row>('SELECT * FROM grant WHERE provider = ?', provider).toArray()[0]
  }

  async function openTokens(userId: string, { provider, sealed }: Row) {
    const opened = sealed === null ? undefined : await keyring.open(sealed, boundTo(userId, provider))
    const tokens: Tokens | undefined = opened && JSON.parse(opened.text)
    return opened && tokens && { tokens, current: opened.current }
  }

  const seal: Grants['seal'] = (userId, provider, { access_token, refresh_token }) =>
    keyring.seal(JSON.stringify({ access_token, refresh_token }), boundTo(userId, provider))

  /** When a token ends, and from when on it is refreshed. */
  function times({ expires_in }: Tokens): [number | null, number | null] {
    if (expires_in === undefined) return [null, null]
    const life = Math.floor(expires_in * 1_000)
    return [now() + life, now() + life - Math.min(AHEAD_MS, Math.floor(life / 2))]
  }

  /** Refreshes once for all who want it: what was rotated is stored before anybody is given anything. */
  function refresh(userId: string, provider: Provider, row: Row, tokens: Tokens): Promise<Unavailable | 'settled'> {
    const underWay = refreshing.get(row.generation)
    if (underWay) return underWay
    const work = refreshOnce(userId, provider, row, tokens).finally(() => refreshing.delete(row.generation))
    refreshing.set(row.generation, work)
    return work
  }

  async function refreshOnce(
    userId: string,
    provider: Provider,
    { generation, scopes }: Row,
    { refresh_token = '' }: Tokens,
  ): Promise<Unavailable | 'settled'> {
    const granted: string[] = JSON.parse(scopes)
    const issued = await oauth.refresh(provider, refresh_token, granted)
    if (!issued.ok) {
      const { why, message, retry_after_ms } = issued
      if (why !== 'refused')
        return { unavailable: message, ...(retry_after_ms === undefined ? {} : { retry_after_ms }) }
      const lost = `${message}: what the user granted was revoked there, or is no longer accepted`
      sql.exec('UPDATE grant SET sealed = NULL, lost = ? WHERE generation = ?', lost, generation)
      return 'settled'
    }
    const next = { refresh_token, ...issued.tokens }
    const sealed = await seal(userId, provider.id, next)
    const grantedNow = issued.tokens.scopes?.length ? issued.tokens.scopes : granted
    const [expires_at, refresh_at] = times(next)
    const stored = sql
      .exec(
        `UPDATE grant SET generation = ?, scopes = ?, expires_at = ?, refresh_at = ?, sealed = ? WHERE generation = ?
         RETURNING provider`,
        crypto.randomUUID(),
        JSON.stringify(grantedNow),
        expires_at,
        refresh_at,
        sealed,
        generation,
      )
      .toArray()
    // The user revoked the grant meanwhile: what came after that must not live on
    if (stored.length === 0 && !read(provider.id)) await oauth.revoke(provider, next)
    return 'settled'
  }

  return {
    async token({ userId, provider, scopes, tool, refused }) {
      const { id } = provider
      let renewed = false
      for (;;) {
        const row = read(id)
        if (!row) return { scopes, reason: `'${tool}' needs access to '${id}', which the user has not granted yet` }
        if (row.lost !== null) return { scopes, reason: row.lost }
        const granted: string[] = JSON.parse(row.scopes)
        const all = unionScopes(granted, scopes, provider.extra_scopes ?? [])
        const missing = missingScopes(id, granted, scopes)
        if (missing.length > 0) {
          const reason = `'${tool}' needs more access to '${id}' than the user has granted: ${missing.join(', ')}`
          return { scopes: all, reason }
        }
        const opened = await openTokens(userId, row)
        // From here on nothing else may have happened: a refresh token may be used once
        if (read(id)?.generation !== row.generation) continue
        if (!opened) {
          const reason = `The stored grant at '${id}' cannot be read with the keys in VAULT_KEYS: the user has to grant it again, unless its key is put back`
          return { scopes: all, reason }
        }
        const { access_token: token, refresh_token } = opened.tokens
        const isRefused = refused?.token === token
        if (isRefused && refused.final) {
          return { scopes: all, reason: `The API of '${id}' refuses the user's token, a new one too` }
        }
        const isLive = !isRefused && (row.expires_at === null || row.expires_at > now())
        const isDue = isRefused || (row.refresh_at !== null && row.refresh_at <= now())
        if (renewed || !isDue) {
          if (!opened.current) await reseal(userId, row, opened.tokens)
          return { token }
        }
        if (refresh_token === undefined) {
          if (isLive) return { token }
          return { scopes: all, reason: `The user's access to '${id}' has ended or was revoked, and cannot be renewed` }
        }
        const outcome = await refresh(userId, provider, row, opened.tokens)
        if (outcome !== 'settled') return isLive ? { token } : outcome
        renewed = true
      }
    },
    seal,
    store(provider, tokens, scopes, sealed) {
      sql.exec(
        'INSERT OR REPLACE INTO grant VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL)',
        provider,
        crypto.randomUUID(),
        JSON.stringify(scopes),
        now(),
        ...times(tokens),
        tokens.refresh_token === undefined ? 0 : 1,
        sealed,
      )
    },
    list() {
      const rows = sql.exec<Row>('SELECT * FROM grant WHERE lost IS NULL ORDER BY provider').toArray()
      return rows.map((row) => ({
        provider: row.provider,
        scopes: JSON.parse(row.scopes),
        granted_at: new Date(row.granted_at).toISOString(),
        ...(row.expires_at === null ? {} : { expires_at: new Date(row.expires_at).toISOString() }),
        refreshable: row.refreshable === 1,
      }))
    },
    async revoke(userId, provider, at) {
      const row = read(provider)
      sql.exec('DELETE FROM grant WHERE provider = ?', provider)
      if (!row || row.lost !== null) return false
      const opened = at && (await openTokens(userId, row))
      if (opened) await oauth.revoke(at, opened.tokens)
      return true
    },
  }

  /** Moves a grant that was under an older key to the first one. */
  async function reseal(userId: string, { provider, generation }: Row, tokens: Tokens): Promise<void> {
    const sealed = await seal(userId, provider, tokens)
    sql.exec('UPDATE grant SET sealed = ? WHERE generation = ?', sealed, generation)
  }
}

/** What a grant's tokens are bound to: they open for no other user, and no other provider. */
function boundTo(userId: string, provider: string): string {
  return JSON.stringify(['grant', userId, provider])
}
