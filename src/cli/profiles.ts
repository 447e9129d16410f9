import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { formatJson, type JsonRecord, listObjects, tryParseJson } from '../client/json.ts'
import { CliError } from './cli-error.ts'
import type { TerminalIO } from './terminal.ts'

export function getProfileName(option: string | undefined, { env }: Pick<TerminalIO, 'env'>): string {
  const name = option ?? (env['SWITCHBOARD_PROFILE'] || 'default')
  if (/^[\w.-]{1,64}$/.test(name)) return name
  throw new CliError('usage', `Invalid profile '${name}': wanted 1 to 64 letters, digits, dots, dashes and underscores`)
}

/** Returns a path in the user's configuration folder (XDG Base Directory Specification). */
export function getProfilesFile({ env }: Pick<TerminalIO, 'env'>): string {
  const folder = env['XDG_CONFIG_HOME'] ?? ''
  return join(isAbsolute(folder) ? folder : join(homedir(), '.config'), 'switchboard', 'profiles.json')
}

/** Each has a `name`, a `key`, the `origin` of the only deployment that gets the key, and optionally `allowHttp`. */
export function readProfiles(file: string): readonly JsonRecord[] {
  return existsSync(file) ? listObjects(tryParseJson(readFileSync(file, 'utf8')), 'profiles') : []
}

/** Only the owner can read the file, because it has keys. It is a new file, because an existing one would keep its mode. */
export async function writeProfiles(file: string, profiles: readonly JsonRecord[]): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const newFile = `${file}.${randomUUID()}.new`
  await writeFile(newFile, `${formatJson({ profiles }, 2)}\n`, { mode: 0o600, flag: 'wx' })
  await rename(newFile, file)
}
