import { chmod, lstat, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { mergeJson, mergeToml, writeWithBackup } from '../../src/cli/host-files.ts'

let folder: string
let file: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchboard-configuration-'))
  file = join(folder, 'mcp.json')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const SERVER = '{"mcpServers": {"switchboard": {"url": "https://new.test/mcp"}}}'
const INPUTS = '{"inputs": [{"id": "key", "password": true}], "servers": {"switchboard": {"url": "u"}}}'

async function merged(before: string | undefined, snippet = SERVER, merge = mergeJson): Promise<string> {
  if (before !== undefined) await writeFile(file, before)
  return (await merge(file, snippet)).after
}

it.each([undefined, '', ' \n', '{}'])('a JSON file without servers gets one: %j', async (before) => {
  expect(JSON.parse(await merged(before))).toEqual(JSON.parse(SERVER))
})

it('a JSON file keeps everything else, including comments', async () => {
  const before = '{\n  // mine\n  "mcpServers": {\n    "other": { "url": "x" }, // and this\n  },\n  "more": [1]\n}\n'
  const after = await merged(before)
  for (const kept of ['// mine', '"url": "x"', '// and this', '"more": [1]']) expect(after).toContain(kept)
  expect(after).toContain('https://new.test/mcp')
})

it('a JSON file gets the new URL in place of the old one', async () => {
  const after = await merged('{"mcpServers": {"switchboard": {"url": "https://old.test/mcp", "headers": {}}, "a": {}}}')
  expect(JSON.parse(after)).toEqual({ mcpServers: { switchboard: { url: 'https://new.test/mcp' }, a: {} } })
})

it('a JSON file has each input once', async () => {
  const before = '{"inputs": [{"id": "other"}, {"id": "key", "password": false}]}'
  const after = await merged(before, INPUTS)
  expect(JSON.parse(after)).toEqual({
    inputs: [{ id: 'other' }, { id: 'key', password: true }],
    servers: { switchboard: { url: 'u' } },
  })
  expect(await merged(after, INPUTS)).toBe(after)
  expect(JSON.parse(await merged('{}', INPUTS))).toEqual(JSON.parse(INPUTS))
})

it('a JSON file that is up to date stays unchanged', async () => {
  const before = '{"mcpServers":{"switchboard":{"url":"https://new.test/mcp"}}}'
  expect(await mergeJson((await merged(before), file), SERVER)).toEqual({ before, after: before })
})

it.each([
  ['{"mcpServers": {', /line 1/],
  ['{\n"a": 1,\n"b": }', /line 3/],
  ['[]', /it is not an object/],
  ['"text"', /it is not an object/],
  ['{"mcpServers": []}', /'mcpServers' is not an object/],
  ['{"mcpServers": "none"}', /'mcpServers' is not an object/],
])('a JSON file that cannot be read is not changed: %j', async (before, why) => {
  await expect(merged(before)).rejects.toMatchObject({ code: 'refused', message: expect.stringMatching(why) })
  expect(await readFile(file, 'utf8')).toBe(before)
})

const TABLE = '[mcp_servers.switchboard]\nurl = "https://new.test/mcp"'

it.each([
  [undefined, `${TABLE}\n`],
  ['model = "x"\n\n[mcp_servers.other]\nurl = "y"', `model = "x"\n\n[mcp_servers.other]\nurl = "y"\n\n${TABLE}\n`],
  ['a = 1\n', `a = 1\n\n${TABLE}\n`],
  [`${TABLE}\n`, `${TABLE}\n`],
])('a TOML file gets the table at its end: %j', async (before, after) => {
  expect(await merged(before, TABLE, mergeToml)).toBe(after)
})

it.each([
  '[mcp_servers.switchboard]\nurl = "https://old.test/mcp"\n',
  '[ mcp_servers . "switchboard" ]\n',
  'mcp_servers = { other = {} }\n',
  'mcp_servers.switchboard.url = "x"\n',
  '[mcp_servers]\nother = 1\nswitchboard = {}\n',
  'text = """\nopen\n',
])('a TOML file that cannot be extended safely is not changed: %j', async (before) => {
  await expect(merged(before, TABLE, mergeToml)).rejects.toMatchObject({ code: 'refused' })
})

it('writing keeps a backup of the old file with its mode, and follows a link', async () => {
  const place = join(folder, 'place.json')
  await writeFile(place, 'old')
  await chmod(place, 0o640)
  await symlink(place, file)
  const backup = await writeWithBackup(file, 'old', 'new')
  expect(await readFile(backup ?? '', 'utf8')).toBe('old')
  expect(await readFile(file, 'utf8')).toBe('new')
  expect((await lstat(file)).isSymbolicLink()).toBe(true)
  expect((await stat(place)).mode & 0o777).toBe(0o640)
  expect(await readdir(folder)).toHaveLength(3)
})

it('writing creates a missing file that only its owner can read', async () => {
  const made = join(folder, 'a/b/mcp.json')
  expect(await writeWithBackup(made, undefined, 'new')).toBeUndefined()
  expect((await stat(made)).mode & 0o777).toBe(0o600)
})
