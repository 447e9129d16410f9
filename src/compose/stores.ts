import type { AuditEvent } from '../core/access/audit-entry.ts'
import type { UserList } from '../core/access/user.ts'
import type { SignInMethod } from '../core/consent/authorization.ts'
import { isProviderId, type Provider } from '../core/consent/provider.ts'
import { clientVariables, knownProvider, withConnected } from '../core/consent/known-providers.ts'
import { createCacheMemory } from '../core/cache/swr-cache.ts'
import type { ArtifactStore, UploadStore } from '../core/call/artifact-store.ts'
import type { OutcomeStore } from '../core/call/idempotency.ts'
import type { Config, Env } from '../env.ts'
import type { EventSource } from '../core/event/event-source.ts'
import { parseToolId } from '../core/tool/tool-id.ts'
import { HOUR_MS } from '../core/tool/time.ts'
import { isLoopback } from '../core/tool/loopback.ts'
import { isSecureOrigin } from '../http/caller/loopback.ts'
import type { Build } from '../node/build.ts'
import { type AccessStub, accessStub } from '../storage/access/access-object.ts'
import { createDeploymentKeys, type Signer } from '../storage/sealing/deployment-keys.ts'
import { createKeyring } from '../storage/sealing/keyring.ts'
import type { VaultDeployment } from '../storage/vault/grants.ts'
import { createCharge, createVault } from '../storage/vault/vaults.ts'
import { createKvKeys } from '../storage/access/kv-keys.ts'
import { createFingerprint } from '../storage/sealing/fingerprint.ts'
import { createKvSettings } from '../storage/access/kv-settings.ts'
import { connectStub } from '../storage/connect/connect-store.ts'
import { createIdempotencyRecords } from '../storage/idempotency/idempotency-records.ts'
import { createReliableStub } from '../storage/reachable-stub.ts'
import { createRecords, recordsStub } from '../storage/records/records.ts'
import { createKvRegistry } from '../storage/registry/kv/kv-registry.ts'
import { registryStub } from '../storage/registry/registry-stub.ts'
import { toListLine as writeLine } from '../dialects/oxp/encode.ts'
import { createCredentialCheck, createProviderOAuth } from './providers.ts'
import { yieldToEventLoop } from '../outbound/event-loop.ts'
import { loadOnce } from './load-once.ts'
import { printLogEntry } from './platform.ts'

/** In bytes. With less free space, SQLite cannot store anything more. */
const MIN_FREE_BYTES = 500_000
const PENDING_WRITE_WAIT_MS = 5_000
/** An isolate has 128 MB; running tools need the rest. */
const MEMORY_BYTES = 40_000_000

export type Stores = ReturnType<typeof openStores>

export function openStores(
  env: Env,
  config: Config,
  build: Build,
  deployedAt: number | undefined,
  onChange: () => void,
  writeAuditEvent: (event: AuditEvent) => void,
) {
  const { now } = Date
  const access = accessStub(env.Access)
  const connect = connectStub(env.Connect)
  const deploymentKeys = createDeploymentKeys(access)
  const memory = createCacheMemory(MEMORY_BYTES)
  const registry = createKvRegistry({
    kv: env.REGISTRY,
    registry: registryStub(env.Registry),
    writeLine,
    memory,
    now,
    yieldControl: yieldToEventLoop,
    bundle: { ...build, records: build.tools.map(({ record }) => record), deployedAt: deployedAt ?? 0 },
    sealer: deploymentKeys.sealer('cursor'),
    onChange,
  })
  const storedProviders = createKvSettings<Provider>(env.REGISTRY, access, now, {
    kind: 'provider',
    isId: isProviderId,
  })
  const eventSources = createKvSettings<EventSource>(env.REGISTRY, access, now, {
    kind: 'eventSource',
    isId: (id) => parseToolId(id) !== undefined,
  })
  const providers = withConnected(storedProviders, config.readVariable)
  const contentKeyring = createKeyring(config.vaultKeys, 'content')
  const files = openFiles(env, deploymentKeys.signer('artifact'))
  return {
    access,
    deploymentKeys,
    fingerprint: createFingerprint(deploymentKeys.signer('invocation')),
    memory,
    registry,
    async probe() {
      const disk = await env.DISK?.fetch('https://disk.invalid')
      const freeBytes = Number(await disk?.text())
      if (freeBytes < MIN_FREE_BYTES) return `The disk that holds its storage is full: ${freeBytes} bytes are left`
      await registryStub(env.Registry)().revision()
      return undefined
    },
    keys: createKvKeys(env.REGISTRY, access, now),
    storedProviders,
    eventSources,
    providers,
    vault: createVault({
      ...vaultOptions(env, config),
      providers,
      grantHolders: { note: (user) => access.noteGrantHolder(user, now()), forget: access.forgetGrantHolder },
      writeAuditEvent,
    }),
    connect,
    /** Loaded on the first event or subscription. */
    loadEvents: loadOnce(async () => {
      const { createEvents } = await import('../storage/events/subscriptions.ts')
      return createEvents(env.Events, eventSources)
    }),
    users: createUserList(access, connect),
    idempotencyRecords: createIdempotencyRecords({
      namespace: env.IdempotencyStore,
      sealer: deploymentKeys.sealer('ledger'),
      outcomes: env.ARTIFACTS && files.outcomes,
      isOnlyProcess: config.isSelfHosted,
      newId: () => crypto.randomUUID(),
      defect: (error) => printLogEntry({ event: 'idempotency-store-unreachable', error: String(error) }),
    }),
    taskObjects: env.Tasks,
    contentKeyring,
    records: createRecords(recordsStub(env.Records), deploymentKeys.sealer('cursor'), now, {
      keyring: contentKeyring,
      days: config.contentDays,
    }),
    artifacts: files.artifacts,
    uploads: files.uploads,
  }
}

/** Loads the code with the first file, because most requests need none. */
function openFiles({ ARTIFACTS: bucket, IdempotencyStore }: Env, signer: Signer) {
  let loading: Promise<FileStores> | undefined
  const loadStores = () => (loading ??= loadFiles())

  async function loadFiles(): Promise<FileStores> {
    const [{ createR2Artifacts, noArtifacts }, { createR2Uploads, noUploads }, { createR2Outcomes }] =
      await Promise.all([
        import('../storage/artifacts/r2-artifacts.ts'),
        import('../storage/artifacts/r2-uploads.ts'),
        import('../storage/artifacts/r2-outcomes.ts'),
      ])
    if (!bucket) return { artifacts: noArtifacts, uploads: noUploads }
    const stubOptions = { what: 'idempotency stores', waitMs: PENDING_WRITE_WAIT_MS }
    const pendingWrites = (principal: string) =>
      createReliableStub(() => IdempotencyStore.getByName(principal), stubOptions)
    const store = { bucket, pendingWrites }
    const { now } = Date
    return {
      artifacts: createR2Artifacts(store, signer, now),
      uploads: createR2Uploads(store, now),
      outcomes: createR2Outcomes(store, now),
    }
  }

  const artifacts: ArtifactStore = {
    put: async (...parameters) => (await loadStores()).artifacts.put(...parameters),
    open: async (link) => (await loadStores()).artifacts.open(link),
  }
  const uploads: UploadStore = {
    keep: async (...parameters) => (await loadStores()).uploads.keep(...parameters),
    find: async (...parameters) => (await loadStores()).uploads.find(...parameters),
    remove: async (...parameters) => (await loadStores()).uploads.remove(...parameters),
  }
  const outcomes: OutcomeStore = {
    keep: async (...parameters) => (await loadStores()).outcomes?.keep(...parameters) ?? false,
    find: async (...parameters) => (await loadStores()).outcomes?.find(...parameters),
  }
  return { artifacts, uploads, outcomes }
}

interface FileStores {
  readonly artifacts: ArtifactStore
  readonly uploads: UploadStore
  readonly outcomes?: OutcomeStore
}

/** Merges one page of each object: the first users of all are among the first of each. */
function createUserList(access: AccessStub, connect: ReturnType<typeof connectStub>): UserList {
  return {
    list: async (page) => access.listUsers(page, await connect.countByUser(page)),
    // A user noted within the last hour may still be at a provider
    forgetGrantHolder: (user) => access.forgetGrantHolder(user, Date.now() - HOUR_MS),
  }
}

function vaultOptions(env: Pick<Env, 'Vault'>, config: Config) {
  const { vaultKeys, vaultKeysArePublic, userVerifierUrl } = config
  const isTrialUrl = createTrialCheck(config)
  const signInMethod = chooseSignInMethod(config)
  return {
    namespace: env.Vault,
    clientVariablesFor: (id: string) => (knownProvider(id) ? clientVariables(id) : undefined),
    canStoreGrants: (url: string) => vaultKeys.length > 0 && (!vaultKeysArePublic || isLoopback(new URL(url).hostname)),
    canBeApproved: (url: string, isDistinguishableByKey: boolean) =>
      userVerifierUrl !== undefined ||
      signInMethod === 'openid' ||
      isTrialUrl(url) ||
      (isDistinguishableByKey && signInMethod === 'key' && isSecureOrigin(new URL(url))),
  }
}

export function vaultDeployment(config: Config, vaults: Env['Vault']): VaultDeployment {
  return {
    charge: createCharge(vaults),
    keyring: createKeyring(config.vaultKeys, 'vault'),
    oauth: createProviderOAuth(config),
    checkCredential: createCredentialCheck(config),
    verifierUrl: config.userVerifierUrl,
    signInMethod: chooseSignInMethod(config),
    isTrialUrl: createTrialCheck(config),
    companyIssuer: config.signIn?.issuer,
    now: Date.now,
  }
}

/** People sign in with keys only if nothing else identifies them. */
export function chooseSignInMethod({ access, signIn, userVerifierUrl }: Config): SignInMethod {
  if (signIn !== undefined) return 'openid'
  return access === 'open' || userVerifierUrl !== undefined ? 'none' : 'key'
}

function createTrialCheck({ access }: Pick<Config, 'access'>): (url: string) => boolean {
  return (url) => access === 'open' && isLoopback(new URL(url).hostname)
}
