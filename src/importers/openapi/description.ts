import { isObject } from '../../core/tool/json.ts'
import { pointerSteps } from '../../core/tool/problem.ts'

export type Node = Readonly<Record<string, unknown>>

/** An OpenAPI description, read and not changed: everything is found in it when it is needed. */
export interface Description {
  readonly edition: '2.0' | '3.0' | '3.1'
  readonly root: Node
  /** Where it was fetched from, after redirects. */
  readonly url?: string
}

export type Followed = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: string }

/** The longest chain of references to references; longer ones go around in a circle, or might as well. */
const MAX_CHAIN = 16

/** Reads which edition of OpenAPI a document is written in; a text says why it is none. */
export function readDescription(root: Node, url?: string): Description | string {
  const { swagger, openapi } = root
  const given = openapi ?? swagger
  const edition =
    swagger === '2.0' || swagger === 2
      ? '2.0'
      : typeof openapi === 'string'
        ? (['3.0', '3.1'] as const).find((each) => openapi === each || openapi.startsWith(`${each}.`))
        : undefined
  if (edition) return { edition, root, ...(url === undefined ? {} : { url }) }
  const got = given === undefined ? "neither 'openapi' nor 'swagger'" : `'${String(given).slice(0, 20)}'`
  return `Must be an OpenAPI description of version 2.0, 3.0 or 3.1, got ${got}`
}

/** The value itself, or what its `$ref` leads to, within the document: other documents are never fetched. */
export function follow({ root }: Description, value: unknown): Followed {
  let current = value
  for (let links = 0; isObject(current) && typeof current.$ref === 'string'; links++) {
    if (links === MAX_CHAIN) return { ok: false, problem: `'${shortened(current.$ref)}' leads to ever more references` }
    const found = valueAt(root, current.$ref)
    if (!found.ok) return found
    current = found.value
  }
  return { ok: true, value: current }
}

/** The object that a value is or leads to, if it is one. */
export function followToObject(description: Description, value: unknown): Node | undefined {
  const followed = follow(description, value)
  return followed.ok && isObject(followed.value) ? followed.value : undefined
}

/** What stands in a document where a reference points (RFC 6901 section 6), only ever its own members. */
export function valueAt(root: Node, reference: string): Followed {
  if (!reference.startsWith('#')) {
    return { ok: false, problem: `'${shortened(reference)}' is in another document, which is not fetched` }
  }
  const steps = stepsOf(reference.slice(1))
  if (!steps) return { ok: false, problem: `'${shortened(reference)}' is no JSON Pointer` }
  let value: unknown = root
  for (const step of steps) {
    const isMember = Array.isArray(value) ? /^(?:0|[1-9]\d{0,6})$/.test(step) : isObject(value)
    if (!isMember || !Object.hasOwn(Object(value), step)) {
      return { ok: false, problem: `'${shortened(reference)}' points to nothing in the document` }
    }
    value = Object(value)[step]
  }
  return { ok: true, value }
}

export function stepsOf(fragment: string): string[] | undefined {
  try {
    return pointerSteps(decodeURIComponent(fragment))
  } catch {
    return undefined
  }
}

/** A node's member where it is an object, else one without members. */
export function objectAt(node: Node, key: string): Node {
  const value = Object.hasOwn(node, key) ? node[key] : undefined
  return isObject(value) ? value : {}
}

export function listAt(node: Node, key: string): readonly unknown[] {
  const value = node[key]
  return Array.isArray(value) ? value : []
}

export function textAt(node: Node, key: string): string | undefined {
  const value = node[key]
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

export function shortened(text: string): string {
  return text.length > 120 ? `${text.slice(0, 120)}…` : text
}
