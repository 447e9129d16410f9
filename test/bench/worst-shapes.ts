import type { ServerProcess } from '../e2e/process.ts'

export interface Reader {
  readonly name: string
  readonly shapes: Readonly<Record<string, () => Shaped>>
}

interface Shaped {
  readonly request: {
    readonly method: string
    readonly path: string
    readonly body?: string | Uint8Array<ArrayBuffer>
    readonly headers?: Readonly<Record<string, string>>
  }
  /** Size of the body or the tool's response, in bytes. */
  readonly size: number
}

/** The responses of the tools' servers, by path. */
export const answersIn = new Map<string, { readonly type: string; readonly text: string }>()

const many = (count: number, make: (index: number) => string) => Array.from({ length: count }, (_, at) => make(at))
const list = (count: number, item: (index: number) => string) => `[${many(count, item).join(',')}]`
const names = (count: number, prefix = '') => `{${many(count, (at) => `"${prefix}${at}":0`).join(',')}}`
const fill = (text: string, size: number) => text.repeat(Math.floor(size / text.length))

/** Builds JSON that is expensive to read, with at most `size` bytes and `parts` nodes. */
function texts(size: number, parts: number): Readonly<Record<string, () => string>> {
  const at = Math.floor(parts * 0.95)
  return {
    'plain text': () => `"${fill('x', size)}"`,
    'escapes': () => `"${fill('\\u0061', size)}"`,
    'quotes': () => `"${fill('\\"', size)}"`,
    'escapes apart': () => `"${fill('a\\n', size)}"`,
    'wide characters': () => `"${fill('é中', size / 5)}"`,
    'names': () => names(Math.min(at / 2, size / 12)),
    'lists': () => `[${fill('[],', Math.min(3 * at * 0.5, size))}0]`,
    'digits': () => list(Math.min(at, size / 18), (each) => `${each}.12345678901`),
    'short texts': () => list(Math.min(at, size / 8), (each) => `"${each % 1_000}"`),
    'rows': () => list(Math.min(at / 9, size / 50), (each) => `{"id":${each},"name":"n${each}","on":true,"x":null}`),
    'spaces': () => `[${fill('0 , ', Math.min(4 * at, size))}0]`,
    'many spaces': () => `[${fill(' '.repeat(40) + '0,', Math.min(42 * at, size))}0]`,
    'nested': () => `[${fill('[[[[0]]]],', Math.min(10 * at * 0.19, size))}0]`,
    'a fault at the end': () => `["${fill('x', size)}"`,
  }
}

const bodies = (path: string, wrap: (json: string) => string, size: number, parts: number) =>
  Object.fromEntries(
    Object.entries(texts(size, parts)).map(([name, make]) => [
      name,
      (): Shaped => {
        const body = wrap(make())
        return { request: { method: 'POST', path, body }, size: Buffer.byteLength(body) }
      },
    ]),
  )

const SCHEMAS: Readonly<Record<string, object>> = {
  object: {},
  rows: {
    type: 'array',
    items: {
      type: 'object',
      properties: {
        id: { type: 'integer' },
        name: { type: 'string', pattern: '^n(?:[0-9]+)$' },
        on: { type: 'boolean' },
      },
      required: ['id', 'name', 'on', 'x'],
      unevaluatedProperties: { type: ['null', 'string'] },
    },
  },
  items: { type: 'array', items: { type: ['string', 'number', 'array'], minLength: 1, minimum: 0 } },
  anyOf: {
    type: 'array',
    items: { anyOf: [{ type: 'object' }, { type: 'null' }, { type: ['string', 'number', 'array'] }] },
  },
  unique: { type: 'array', uniqueItems: true },
  lengths: { type: ['string', 'array', 'object'], minLength: 1, maxLength: 90_000_000 },
  enum: { type: 'array', items: { enum: [{ a: 1 }, 'a', [], 0, 1] } },
  names: { type: 'object', propertyNames: { pattern: '^[0-9]{1,9}$' }, additionalProperties: { type: 'number' } },
}

const ANSWER = 8_000_000

export async function readersFor(server: ServerProcess, origin: string): Promise<readonly Reader[]> {
  async function publish(name: string, implementation: object, outputSchema?: object): Promise<void> {
    const definition = {
      name,
      description: 'd',
      inputSchema: { type: 'object' },
      ...(outputSchema ? { outputSchema } : {}),
    }
    const sent = { definition, implementation, toolkit: 'Worst', version: '1.0.0' }
    const { status, body } = await server.json('POST', '/tools?dialect=mcp', sent)
    if (status !== 201) throw new Error(`${name}: ${JSON.stringify(body)}`)
  }

  const call = (tool: string, size: number): Shaped => ({
    request: { method: 'POST', path: '/tools/call', body: `{"tool_id":"Worst.${tool}","input":{}}` },
    size,
  })

  async function answers(
    implementation: (path: string) => object,
    wrap: (text: string) => string,
    size: number,
    type = 'application/json',
  ): Promise<Record<string, () => Shaped>> {
    const shapes: Record<string, () => Shaped> = {}
    for (const [name, make] of Object.entries(texts(size, 300_000))) {
      const path = `/${answersIn.size}`
      const text = wrap(make())
      answersIn.set(path, { type, text })
      await publish(`A${path.slice(1)}`, implementation(path))
      shapes[name] = () => call(`A${path.slice(1)}`, Buffer.byteLength(text))
    }
    return shapes
  }

  const json = (path: string) => ({ kind: 'http', method: 'GET', url: `${origin}${path}` })
  const remote = (protocol: string) => (path: string) => ({
    kind: 'remote',
    protocol,
    url: `${origin}${path}`,
    tool: 'x',
  })

  const checked: Record<string, () => Shaped> = {}
  for (const [name, schema] of Object.entries(SCHEMAS)) {
    for (const [shape, make] of Object.entries({
      ...texts(488_000, 140_000),
      megabytes: () => `"${fill('x😀', 6_000_000)}"`,
    })) {
      const path = `/${answersIn.size}`
      const text = make()
      if (name === 'object' || name === 'lengths' || ((text[0] === '{') === (name === 'names') && text[0] !== '"')) {
        answersIn.set(path, { type: 'application/json', text: `{"v":${text}}` })
        await publish(`A${path.slice(1)}`, json(path), { type: 'object', properties: { v: schema } })
        checked[`${shape} against ${name}`] = () => call(`A${path.slice(1)}`, Buffer.byteLength(text))
      }
    }
  }

  const coded: Record<string, () => Shaped> = {}
  for (const shape of Object.keys(texts(0, 0))) {
    if (shape.startsWith('a fault') || shape.includes('spaces')) continue
    const name = `C${Object.keys(coded).length}`
    // Created once and reused
    const module = {
      'plain text': "const v = 'x'.repeat(3_900_000)",
      'escapes': "const v = '\\u0001'.repeat(650_000)",
      'quotes': "const v = '\"'.repeat(3_900_000)",
      'escapes apart': "const v = 'a\\n'.repeat(1_300_000)",
      'wide characters': "const v = 'é中'.repeat(1_950_000)",
      'names': 'const v = Object.fromEntries(Array.from({ length: 140_000 }, (_, at) => [at, 0]))',
      'lists': 'const v = Array(280_000).fill([])',
      'digits': 'const v = Array.from({ length: 280_000 }, (_, at) => at + 0.12345678901)',
      'short texts': 'const v = Array.from({ length: 280_000 }, (_, at) => String(at % 1_000))',
      'rows': 'const v = Array.from({ length: 30_000 }, (_, id) => ({ id, name: `n${id}`, on: true, x: null }))',
      'nested': 'const v = Array(56_000).fill([[[[0]]]])',
    }[shape]
    if (module === undefined) continue
    await publish(name, { kind: 'code', module: `${module}\nexport default () => v` })
    const { v } = await import(`data:text/javascript,${encodeURIComponent(`${module}\nexport { v }`)}`)
    const size = Buffer.byteLength(JSON.stringify(v))
    coded[shape] = () => call(name, size)
  }

  const imported = (text: string): Shaped => {
    const path = `/${answersIn.size}`
    answersIn.set(path, { type: 'application/yaml', text })
    const body = JSON.stringify({ from: { openapi: `${origin}${path}` }, toolkit: 'Imported' })
    return { request: { method: 'POST', path: '/toolkits/import?dry_run=1', body }, size: Buffer.byteLength(text) }
  }
  const yaml = (text: string) => `openapi: 3.1.0\ninfo: {title: t, version: 1.0.0}\npaths: {}\nx:\n${text}`
  // As often as the limits on YAML's lines, signs and characters allow
  const often = (line: string) =>
    line.repeat(Math.min(29_000 / (line.match(/[\n\r,:?&[{]/g)?.length ?? 1), 500_000 / line.length))
  const numbered = (count: number, line: (at: number) => string) => many(count, line).join('')
  const yamls: Record<string, () => string> = {
    'a long text': () => yaml(`  "${fill('x', 500_000)}"`),
    'a folded text': () => yaml(`  >\n${often(`   ${'x'.repeat(60)}\n`)}`),
    'a literal text': () => yaml(`  |\n${often('   x\n')}`),
    'short lines': () => yaml(often('  - a\n')),
    'keys': () => yaml(numbered(14_500, (at) => `  k${at}: 0\n`)),
    'one key': () => yaml(often('  k: 0\n')),
    'explicit keys': () => yaml(often('  ? k\n')),
    'flow': () => yaml(`  [${often('0,')}0]`),
    'flow of texts': () => yaml(`  [${often('"a", ')}0]`),
    'flow maps': () => yaml(`  [${often('{a: 0},')}0]`),
    'flow lists': () => yaml(`  [${often('[],')}0]`),
    'flow pairs': () => yaml(`  [${often('a: b,')}0]`),
    'flow of explicit pairs': () => yaml(`  [${often('? a,')}0]`),
    'numbers': () => yaml(`  [${often('-1.5e+10,')}0]`),
    'escapes': () => yaml(`  "${fill('\\x61', 500_000)}"`),
    'quotes': () => yaml(`  '${fill("''", 500_000)}'`),
    'comments': () => yaml(`${often('  # a\n')}  - a\n`),
    'blank lines': () => yaml(`${often('\n')}  - a\n`),
    'lines of a plain text': () => yaml(often('  a\n')),
    'lines of a quoted text': () => yaml(`  "${often('a\n   ')}"`),
    'aliases': () => yaml(`  - &a [1]\n${often('  - *a\n')}`),
    'anchors': () => yaml(numbered(14_500, (at) => `  - &a${at} b\n`)),
    'anchors on lines of their own': () => yaml(often('  - &a\n    b\n')),
    'tags': () => yaml(often('  - !!str a\n')),
    'merges': () => yaml(`  - &a {b: 1}\n${often('  - <<: *a\n')}`),
    'merges of a list': () => yaml(`  - &a {b: 1}\n${often(`  - <<: [${'*a,'.repeat(90)}]\n`)}`),
    'nested': () => yaml(often(`  - ${'['.repeat(60)}${']'.repeat(60)}\n`)),
    'lists in lines': () => yaml(often(`  ${'- '.repeat(60)}a\n`)),
    'a fault at the end': () => yaml(`${often('  - a\n')}  }`),
  }

  const form = (text: string, path: string): Shaped => ({
    request: {
      method: 'POST',
      path,
      body: text,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'origin': server.url,
        'sec-fetch-site': 'same-origin',
      },
    },
    size: text.length,
  })
  const forms: Record<string, () => string> = {
    'plain text': () => `do=make&input/name=${fill('x', 4_000_000)}`,
    'percents': () => `do=make&input/name=${fill('%61', 4_000_000)}`,
    'wide percents': () => `do=make&input/name=${fill('%E4%B8%AD', 4_000_000)}`,
    'pluses': () => `do=make&input/name=${fill('+', 4_000_000)}`,
    'fields': () => many(4_900, (at) => `input/f${at}=${'x'.repeat(800)}`).join('&'),
    'one field': () => many(4_900, () => `input/name=${'x'.repeat(800)}`).join('&'),
    'few bytes of fields': () => many(4_900, (at) => `input/f${at}=x`).join('&'),
    'json of percents': () => `do=call&json=${encodeURIComponent(`{"a":"${fill('é', 300_000)}"}`)}`,
    'json of lists': () => `do=call&json=${encodeURIComponent(`{"a":[${fill('[],', 130_000)}0]}`)}`,
  }
  const formsAt = (path: string) =>
    Object.fromEntries(Object.entries(forms).map(([name, make]) => [name, () => form(make(), path)]))

  return [
    {
      name: 'body of a call',
      shapes: bodies('/tools/call', (x) => `{"tool_id":"Calculator.Add","input":{"a":${x}}}`, 4_000_000, 100_000),
    },
    {
      name: 'batch of MCP',
      shapes: bodies(
        '/mcp',
        (x) => `[{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${x}}}]`,
        4_000_000,
        90_000,
      ),
    },
    {
      name: 'conversion',
      shapes: bodies(
        '/convert?from=mcp&to=gemini',
        (x) => `{"name":"x","description":"d","inputSchema":{"type":"object","x":${x}}}`,
        1_000_000,
        900_000,
      ),
    },
    {
      name: 'publication',
      shapes: bodies(
        '/tools?dialect=mcp',
        (x) =>
          `{"definition":{"name":"x","description":"d","inputSchema":{"type":"object","enum":[${x}]}},"toolkit":"Worst","version":"1.0.0"}`,
        15_000_000,
        500_000,
      ),
    },
    {
      name: 'import, sent',
      shapes: bodies(
        '/toolkits/import?dry_run=1',
        (x) =>
          `{"from":{"openapi":{"openapi":"3.1.0","info":{"title":"t","version":"1"},"paths":{},"x":${x}}},"toolkit":"Imported"}`,
        15_000_000,
        500_000,
      ),
    },
    {
      name: 'import, fetched',
      shapes: Object.fromEntries(
        Object.entries(texts(15_000_000, 500_000)).map(([name, make]) => [
          name,
          () => imported(`{"openapi":"3.1.0","info":{"title":"t","version":"1"},"paths":{},"x":${make()}}`),
        ]),
      ),
    },
    {
      name: 'YAML',
      shapes: Object.fromEntries(Object.entries(yamls).map(([name, make]) => [name, () => imported(make())])),
    },
    { name: 'answer, http', shapes: await answers(json, (x) => x, ANSWER) },
    { name: 'answer, oxp', shapes: await answers(remote('oxp'), (x) => `{"success":true,"value":${x}}`, ANSWER) },
    { name: 'answer against a schema', shapes: checked },
    { name: 'output of a code tool', shapes: coded },
    { name: 'form of the console, keys', shapes: formsAt('/console/keys') },
    { name: 'form of the console, call', shapes: formsAt('/console/tools/Calculator.Add') },
    { name: 'form of the console, import', shapes: formsAt('/console/import') },
  ]
}
