import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import standalone from 'ajv/dist/standalone/index.js'
import { build, type Plugin } from 'esbuild'
import { isObject } from '../core/tool/json.ts'
import { walkSubschemas } from '../core/schema/subschemas.ts'
import type { JsonSchema } from '../core/tool/tool.ts'

/**
 * Compiles each schema separately, so two may have the same `$id`. Throws for `$dynamicRef`, for a schema that Ajv rejects,
 * and for a name that is not an identifier.
 */
export async function compileSchemas(schemas: Readonly<Record<string, JsonSchema>>): Promise<string> {
  const names = Object.keys(schemas)
  const bad = names.find((name) => !/^[A-Za-z_$][\w$]*$/.test(name))
  if (bad !== undefined)
    throw new TypeError(`Cannot export a schema under a name that is not an identifier, got '${bad}'`)
  const { outputFiles } = await build({
    stdin: {
      contents: names.map((name) => `export { default as ${name} } from 'schema:${name}'`).join('\n'),
      resolveDir: here,
    },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['main'],
    target: 'es2023',
    charset: 'utf8',
    logLevel: 'silent',
    plugins: [comparison, standaloneModules(schemas)],
  })
  return outputFiles[0]?.text ?? ''
}

const here = fileURLToPath(new URL('.', import.meta.url))

/** Ajv's `fast-deep-equal` calls a value's own `toString` and `valueOf`, which throws if they are data. */
const comparison: Plugin = {
  name: 'comparison',
  setup(bundler) {
    bundler.onResolve({ filter: /^fast-deep-equal$/ }, () => ({ path: 'equal', namespace: 'comparison' }))
    bundler.onLoad({ filter: /.*/, namespace: 'comparison' }, () => ({
      contents: "module.exports = require('../core/schema/assertions.ts').areEqual",
      resolveDir: here,
    }))
  },
}

function standaloneModules(schemas: Readonly<Record<string, JsonSchema>>): Plugin {
  return {
    name: 'schemas',
    setup(bundler) {
      bundler.onResolve({ filter: /^schema:/ }, ({ path }) => ({
        path: path.slice('schema:'.length),
        namespace: 'schema',
      }))
      bundler.onLoad({ filter: /.*/, namespace: 'schema' }, ({ path }) => ({
        contents: compile(schemas[path] ?? true),
        resolveDir: here,
      }))
    },
  }
}

function compile(schema: JsonSchema): string {
  for (const { schema: each, path } of walkSubschemas(schema, Infinity)) {
    // Ajv gets even simple ones wrong: it uses the root as the target.
    if (isObject(each) && each['$dynamicRef'] !== undefined)
      throw new TypeError(`Cannot compile '$dynamicRef' (at '${path}'): use '$ref'`)
  }
  const ajv = new Ajv2020({
    strict: false,
    validateFormats: false,
    unicodeRegExp: true,
    // 0.3 is a multiple of 0.1, despite the remainder in floating-point arithmetic.
    multipleOfPrecision: 10,
    // Otherwise, an input without "constructor" would have the one of Object.prototype.
    ownProperties: true,
    code: { source: true, esm: true, lines: true },
  })
  return standalone(ajv, ajv.compile(schema))
}
