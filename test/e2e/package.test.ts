import { execFile, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EXAMPLE_ORIGIN } from '../../src/docs/agent-hosts.ts'
import { HttpPerson } from './oauth/http-person.ts'
import { ADMIN_KEY, type Connected, connect, startWorld, type World } from './oauth/switchboard.ts'

/** What others install of this repository: packed, and installed in an empty folder without npm's registry. */

const root = fileURLToPath(new URL('../..', import.meta.url))
const execute = promisify(execFile)
const run = (cwd: string, command: string, ...args: readonly string[]) =>
  execute(command, args, { cwd, env: { ...process.env, npm_config_offline: 'true' } })

let folder: string
let world: World
let edge: Connected
let files: readonly string[]
let installed: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchboard-package-'))
  world = await startWorld()
  edge = await connect(world)
  const built = join(folder, 'built')
  await run(root, process.execPath, 'src/node/package.ts', '--outdir', built)
  const { stdout } = await run(root, 'npm', 'pack', built, '--json', '--pack-destination', folder)
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf('[')))
  files = packed.files.map(({ path }: { path: string }) => path)
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  const options = ['--no-audit', '--no-fund', '--loglevel', 'warn']
  installed = (await run(folder, 'npm', 'install', ...options, join(folder, packed.filename))).stderr
})
afterAll(async () => {
  await Promise.all([edge?.server.stop(), world?.close()])
  await rm(folder, { recursive: true, force: true })
})

it('the package contains what runs, and no sources', () => {
  expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'client.js', 'switchboard.js']))
  expect(
    files.filter(
      (path) =>
        !/^(?:client\/.+\.d\.ts|(?:client|switchboard|(?:chunk|o200k_base)-\w+)\.js|LICENSE|README\.md|package\.json)$/.test(
          path,
        ),
    ),
  ).toEqual([])
})

it('the package has no dependencies, and runs nothing when it is installed', async () => {
  const lock = JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8'))
  expect(Object.keys(lock.packages)).toEqual(['', 'node_modules/switchboard'])
  const manifest = JSON.parse(await readFile(join(folder, 'node_modules/switchboard/package.json'), 'utf8'))
  for (const field of ['scripts', 'dependencies', 'devDependencies', 'imports'])
    expect(manifest).not.toHaveProperty(field)
  expect(installed).not.toMatch(/script|switchboard/i)
})

it('the package has a command-line program', async () => {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  expect((await run(folder, 'npx', 'switchboard', '--version')).stdout).toBe(`${version}\n`)
  const program = join(folder, 'node_modules/.bin/switchboard')
  const added = await run(
    folder,
    program,
    'call',
    'Calculator.Add',
    '--input',
    '{"a":1,"b":2}',
    '--url',
    edge.server.url,
    '--key',
    ADMIN_KEY,
  )
  expect(added.stdout).toBe('3\n')
})

/** What the guide has people write, in its order, with the address of this deployment and a tool that is here. */
const guide = readFileSync(join(root, 'src/docs/client.md'), 'utf8')
const snippets = [...guide.matchAll(/^```js\n([^]+?)^```$/gm)].map(([, text = '']) => text)

/** Runs a snippet, with a person who does what it asks for. */
async function printed(snippet: string | undefined): Promise<string> {
  const text = snippet?.replaceAll(EXAMPLE_ORIGIN, edge.server.url).replaceAll('Gmail.', 'Mail.') ?? ''
  await writeFile(join(folder, 'snippet.js'), text)
  const env = { ...process.env, SWITCHBOARD_KEY: ADMIN_KEY }
  const child = spawn(process.execPath, ['snippet.js'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  let person: Promise<unknown> | undefined
  const hear = (chunk: Buffer) => {
    said += String(chunk)
    const link = /Please allow .*?: (\S+)\n/.exec(said)?.[1]
    if (link !== undefined) person ??= new HttpPerson().consent(link, 'ann')
  }
  child.stdout.on('data', hear)
  child.stderr.on('data', hear)
  await new Promise((done) => child.once('close', done))
  await person
  return said
}

it('each example of the client guide is tested', () => expect(snippets).toHaveLength(5))

it("the client guide's example calls a tool", async () => expect(await printed(snippets[0])).toBe('5\n'))

it("the client guide's example finds tools", async () => {
  const said = await printed(snippets[1])
  expect(said).toMatch(
    /^Calculator\.Add@1\.0\.0\nCalculator\.Subtract@1\.0\.0\n\d+ found, \d+ of them relevant .+ \[\]\n\{[^]*required: \[ 'a', 'b' \]\n\}\n$/,
  )
})

it("the client guide's example waits for a person", async () => {
  expect(await printed(snippets[2])).toMatch(/^Please allow mail \(mail\.read\): http.+\n\{ account: 'ann'/)
})

it("the client guide's example starts a call and waits for its result", async () => {
  expect(await printed(snippets[3])).toMatch(/^(?:working .+\n)*(?:completed .+\n)?5\n$/)
})

it("the client guide's example reports an error", async () => {
  expect(await printed(snippets[4])).toBe("input_invalid { a: 'Must be a number', b: 'Is required' }\n")
})

it('the client guide has a row for each error code', () => {
  const source = readFileSync(join(root, 'src/client/switchboard-error.ts'), 'utf8')
  const union = /export type ErrorCode =([^]+?)\n\n/.exec(source)?.[1] ?? ''
  const codes = [...union.matchAll(/'(\w+)'/g)].map(([, code]) => code)
  const told = [...guide.matchAll(/^\| (`[a-z_`, ]+`) +\|/gm)].flatMap(([, cell = '']) => cell.match(/\w+/g) ?? [])
  expect(codes.length).toBeGreaterThan(10)
  expect(told).toEqual(expect.arrayContaining(codes))
})

/** What the compiler says of a program in the folder of the package. */
async function compiled(program: string, ...more: readonly string[]): Promise<string> {
  await writeFile(join(folder, 'typed.ts'), program)
  const options = '--strict --noEmit --target es2022 --module nodenext --lib es2022,dom --ignoreConfig'.split(' ')
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  return run(folder, process.execPath, tsc, ...options, ...more, 'typed.ts').then(
    () => 'in order',
    ({ stdout }) => String(stdout),
  )
}

it('the package has types for its client, which need only types of every platform', async () => {
  const source = (code: string) => `import { Switchboard, SwitchboardError } from 'switchboard/client'
    const client = new Switchboard({ url: 'https://switchboard.example' })
    for await (const { id, input_schema } of client.tools({ toolkit: 'Mail' })) id.concat(String(input_schema.parameters))
    try {
      const { value }: { value: unknown } = await client.call('A.B', { a: 1 }, { onProgress: ({ progress }) => progress.toFixed() })
    } catch (error) {
      if (error instanceof SwitchboardError && error.code === '${code}') error.details.parameterErrors?.['a']?.trim()
    }`
  expect(await compiled(source('input_invalid'))).toBe('in order')
  expect(await compiled(source('no_such_code'))).toMatch(/have no overlap/)
})

describe('the types of tools', () => {
  const [shown = ''] = [...guide.matchAll(/^```ts\n([^]+?)^```$/gm)].map(([, text = '']) => text)
  // As the types of Node have it, which are not installed here
  const program = `${shown}declare const process: { env: Record<string, string | undefined> }\n`
  /** Writes the types as the guide has it, of tools whose definitions have all that types are made of. */
  async function writeTypes(...args: readonly string[]): Promise<string> {
    const at = ['--url', edge.server.url, '--key', ADMIN_KEY]
    return (await run(folder, join(folder, 'node_modules/.bin/switchboard'), 'types', ...args, ...at)).stdout
  }
  const GROUP = {
    type: 'object',
    properties: {
      name: { type: 'string', description: 'What */ it is called' },
      members: { type: 'array', items: { anyOf: [{ $ref: '#/$defs/group' }, { type: 'null' }] } },
      kind: { enum: ['team', 'guild'] },
    },
    required: ['name'],
  }
  const INPUT = {
    type: 'object',
    properties: { group: { $ref: '#/$defs/group' }, depth: { type: 'integer' } },
    required: ['group'],
    additionalProperties: false,
    $defs: { group: GROUP },
  }

  it('the types of tools are as in the guide, and the compiler checks calls against them', async () => {
    await writeTypes('--out', 'tools.ts')
    const text = await readFile(join(folder, 'tools.ts'), 'utf8')
    expect(text).toBe(await writeTypes())
    const lines = ['--allowImportingTsExtensions']
    expect(program).toContain("'Calculator.Add', { a: 2, b: 3 }")
    expect(await compiled(program, ...lines)).toBe('in order')
    const broken = async (from: string, to: string) => compiled(program.replace(from, to), ...lines)
    expect(await broken('b: 3', "b: '3'")).toMatch(/error TS2322: Type 'string' is not assignable to type 'number'/)
    expect(await broken(', b: 3', '')).toMatch(/error TS2741: Property 'b' is missing/)
    expect(await broken('b: 3', 'b: 3, c: 4')).toMatch(/error TS2353: .*'c' does not exist/)
    expect(await broken('Calculator.Add', 'Calculator.Ad')).toMatch(/error TS2345: .*"Calculator\.Ad"/)
    expect(await broken('toFixed(2)', 'trim()')).toMatch(
      /error TS2339: Property 'trim' does not exist on type 'number'/,
    )
  })

  it('the types of tools follow references, also recursive ones', async () => {
    const outputSchema = { type: 'object', properties: { done: { type: 'boolean' } }, required: ['done'] }
    const definition = { name: 'regroup', description: 'Regroups', inputSchema: INPUT, outputSchema }
    const published = await edge.ask('POST', '/tools', { definition, toolkit: 'Team', version: '1.0.0' })
    expect(published).toMatchObject({ status: 201, body: { ids: ['Team.regroup@1.0.0'] } })
    await writeTypes('Team.regroup', '--out', 'tools.ts')
    const use = (group: string) => `import { createClient, Switchboard } from 'switchboard/client'
      import type { refs, Tools } from './tools.ts'
      const group: refs.Group = ${group}
      const { value } = await createClient<Tools>({ url: 'https://a.example' }).call('Team.regroup', { group })
      const done: boolean = value.done
      const called = await new Switchboard({ url: 'https://a.example' }).call<{ n: number }>('Any.Tool', { done })
      called.value.n.toFixed()
      const plain = await createClient({ url: 'https://a.example' }).call<number>('Any.Tool', { done })
      plain.value.toFixed()`
    const lines = ['--allowImportingTsExtensions']
    expect(await compiled(use("{ name: 'a', members: [{ name: 'b', kind: 'team' }, null] }"), ...lines)).toBe(
      'in order',
    )
    expect(await compiled(use("{ name: 'a', members: [{ name: 'b', kind: 'club' }] }"), ...lines)).toMatch(
      /error TS2322: Type '"club"' is not assignable to type '"guild" \| "team" \| undefined'/,
    )
  })
})
