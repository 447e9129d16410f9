import type { Visit } from '../page.ts'

/** What somebody looks for, each as it stands in the address of the page; empty where it does not. */
export type Asked = Readonly<Record<'q' | 'toolkit' | 'tag' | 'versions' | 'cursor', string>>

/** As `GET /toolkits` lists one. */
export interface ListedToolkit {
  readonly toolkit: string
  readonly tools: number
}

export function askedOf({ url: { searchParams } }: Visit): Asked {
  const said = (name: string) => searchParams.get(name)?.trim() ?? ''
  const [versions, cursor] = [said('versions'), said('cursor')]
  return { q: said('q'), toolkit: said('toolkit'), tag: said('tag'), versions, cursor }
}

export function queryOf(asked: Readonly<Record<string, string>>): URLSearchParams {
  return new URLSearchParams(Object.entries(asked).filter(([, value]) => value !== ''))
}

/** The first page of what is looked for, with a change. */
export function hrefOf(asked: Asked, change: Readonly<Record<string, string>>): string {
  const query = queryOf({ ...asked, cursor: '', ...change }).toString()
  return query === '' ? '/' : `/?${query}`
}
