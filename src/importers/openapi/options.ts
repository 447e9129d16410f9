import { isObject, isTexts, type JsonObject } from '../../core/tool/json.ts'
import { pointerStep, type Checked, type Problem } from '../../core/tool/problem.ts'

/** Which secret or authorization stands for a security scheme, and where it goes if the description does not say. */
export interface CredentialOption {
  readonly secret?: string
  readonly authorization?: string
  readonly scopes?: readonly string[]
  readonly in?: 'header' | 'query' | 'cookie'
  readonly name?: string
  readonly format?: string
}

export interface Options {
  /** Stands in for every server of the description. */
  readonly baseUrl?: string
  /** By the scheme's name; any other name goes along with every call, and says where. */
  readonly credentials: ReadonlyMap<string, CredentialOption>
  /** Whether outputs are held to the description's schemas, or may be anything. */
  readonly outputs: 'described' | 'any'
}

const KNOWN = ['base_url', 'credentials', 'outputs']
const CREDENTIAL_FIELDS = ['secret', 'authorization', 'scopes', 'in', 'name', 'format']
const ID = /^[\x21-\x7e]{1,128}$/

/** Reads what a request to import says beside `from`, `toolkit`, `version` and `tools`. */
export function readOptions(given: JsonObject, schemes: readonly string[]): Checked<Options> {
  const problems: Problem[] = []
  const wrong = (path: string, message: string) => void problems.push({ path, message })
  for (const key of Object.keys(given)) {
    if (!KNOWN.includes(key)) {
      wrong(
        pointerStep(key),
        `Unknown field: wanted 'from', 'toolkit', 'version', 'tools' or one of '${KNOWN.join("', '")}'`,
      )
    }
  }
  const { base_url: base, outputs = 'described', credentials = {} } = given
  if (base !== undefined && !isBase(base)) wrong('/base_url', 'Must be an http or https URL without query and fragment')
  if (outputs !== 'described' && outputs !== 'any') wrong('/outputs', "Must be 'described' or 'any'")
  const read = new Map<string, CredentialOption>()
  if (!isObject(credentials)) wrong('/credentials', "Must map security schemes to {'secret'} or {'authorization'}")
  else {
    for (const [name, each] of Object.entries(credentials)) {
      const path = `/credentials${pointerStep(name)}`
      const option = readCredential(each, path, wrong)
      if (!option) continue
      if (!schemes.includes(name) && (option.in === undefined || option.name === undefined)) {
        const known = schemes.length > 0 ? schemes.map((scheme) => `'${scheme}'`).join(', ') : 'none'
        wrong(
          path,
          `The description has no such security scheme (it has ${known}): say 'in' and 'name' to send it anyway`,
        )
      }
      read.set(name, option)
    }
  }
  if (problems.length > 0 || (outputs !== 'described' && outputs !== 'any')) return { ok: false, problems }
  return {
    ok: true,
    value: { credentials: read, outputs, ...(typeof base === 'string' ? { baseUrl: base } : {}) },
  }
}

function readCredential(
  given: unknown,
  path: string,
  wrong: (path: string, message: string) => void,
): CredentialOption | undefined {
  if (!isObject(given)) return void wrong(path, "Must be {'secret'} or {'authorization'}")
  const { secret, authorization, scopes, in: place, name, format } = given
  const extra = Object.keys(given).find((key) => !CREDENTIAL_FIELDS.includes(key))
  if (extra !== undefined) return void wrong(path + pointerStep(extra), 'Unknown field')
  const ids = [secret, authorization].filter((id) => id !== undefined)
  const [id] = ids
  if (ids.length !== 1 || typeof id !== 'string' || !ID.test(id)) {
    return void wrong(path, "Must have either 'secret' or 'authorization', of 1 to 128 visible ASCII characters")
  }
  if (scopes !== undefined && !isTexts(scopes)) return void wrong(`${path}/scopes`, 'Must be a list of texts')
  if (place !== undefined && place !== 'header' && place !== 'query' && place !== 'cookie') {
    return void wrong(`${path}/in`, "Must be 'header', 'query' or 'cookie'")
  }
  if (name !== undefined && typeof name !== 'string') return void wrong(`${path}/name`, 'Must be a text')
  if (format !== undefined && (typeof format !== 'string' || !format.includes('{value}'))) {
    return void wrong(`${path}/format`, "Must be a text that holds '{value}'")
  }
  if ((place === undefined) !== (name === undefined)) return void wrong(path, "'in' and 'name' go together")
  return {
    ...(secret === undefined ? { authorization: id } : { secret: id }),
    ...(scopes === undefined ? {} : { scopes }),
    ...(place === undefined || name === undefined ? {} : { in: place, name }),
    ...(format === undefined ? {} : { format }),
  }
}

function isBase(value: unknown): boolean {
  if (typeof value !== 'string' || !/^https?:\/\/[^?#{}]+$/i.test(value) || !URL.canParse(value)) return false
  const { username, password } = new URL(value)
  return username === '' && password === ''
}
