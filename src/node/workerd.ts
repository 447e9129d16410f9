import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const miniflare = createRequire(import.meta.url).resolve('miniflare')
const { default: binary }: { readonly default: string } = createRequire(miniflare)('workerd')

/** The program that runs Workers. */
export const workerd = (process.env['SWITCHBOARD_WORKERD'] ??= process.env['MINIFLARE_WORKERD_PATH'] ?? binary)

/** Miniflare starts this script instead, except on Windows. */
if (process.platform !== 'win32')
  process.env['MINIFLARE_WORKERD_PATH'] = fileURLToPath(new URL('workerd.sh', import.meta.url))
