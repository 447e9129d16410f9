import type { Hono } from 'hono'
import { defineRegistry } from './adapters/registry/registry-object.ts'
import { base64, sha256 } from './adapters/sha256.ts'
import { defineVault } from './adapters/vault/vault-object.ts'
import { createApp, writeLine } from './app.ts'
import { ConfigError, type Env, loadConfig } from './env.ts'
import { vaultDeployment } from './vault.ts'
import { respond } from './faces/oxp/face.ts'
import { build } from './generated/build.ts'
import { defineEgress } from './runners/sandbox/egress.ts'

export const Registry = defineRegistry({ writeLine, sha256 })
export const Vault = defineVault((env: Env) => vaultDeployment(loadConfig(env)))
export const Egress = defineEgress({ base64 })

declare global {
  namespace Cloudflare {
    /** What this Worker exports can be reached through `exports` of `cloudflare:workers`. */
    interface GlobalProps {
      mainModule: { Egress: typeof Egress }
    }
  }
}

let app: Hono | undefined

export default {
  fetch(request, env, context) {
    try {
      app ??= createApp(env, loadConfig(env), build)
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      console.error(`Cannot start: ${error.message}`)
      return respond({ type: 'unavailable', message: `This Switchboard is not set up correctly: ${error.message}` })
    }
    return app.fetch(request, env, context)
  },
} satisfies ExportedHandler<Env>
