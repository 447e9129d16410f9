import type { Docs } from '../../docs/docs.ts'
import { respondWithDocs, type DocsLink, REFERENCE } from '../../docs/frame.tsx'
import type { DocsSection } from '../../docs/search.ts'
import { GROUP_NAMES } from './groups.ts'
import { FieldsTable, OperationSection, rowsIn } from './operation.tsx'
import type { DocumentedApi, DocumentedOperation } from './operations.ts'

/** Lists all operations. Their ids link to the pages of their groups. */
export function referencePage(docs: Docs, { operations, components }: DocumentedApi): Promise<Response> {
  const content = (
    <>
      <p class="note">
        <a href="/openapi.json">OpenAPI 3.1</a>
      </p>
      {GROUP_NAMES.map((group) => (
        <>
          <h2 id={toSlug(group)}>
            <a href={buildHref(group)}>{group}</a>
          </h2>
          <ul class="list">
            {operations.filter(inGroup(group)).map(({ id, method, path, summary }) => (
              <li id={id}>
                <a href={`${buildHref(group)}#${id}`}>
                  <code>
                    {method} {path}
                  </code>
                </a>
                <p>{summary}</p>
              </li>
            ))}
          </ul>
        </>
      ))}
      <h2 id="errors">Errors</h2>
      {[...new Set(operations.map(({ failures }) => failures))].map((name) => (
        <>
          <h3 id={name}>{name}</h3>
          <FieldsTable label={`Fields of ${name}`} rows={rowsIn(components[name], components)} />
        </>
      ))}
    </>
  )
  return respondWithDocs(docs, {
    title: 'API reference',
    path: REFERENCE.href,
    reference: linksTo(operations),
    content,
  })
}

/** Shows a group of operations on its own page; undefined if there is no such group. */
export function groupPage(docs: Docs, api: DocumentedApi, slug: string, origin: string): Promise<Response> | undefined {
  const title = GROUP_NAMES.find((group) => toSlug(group) === slug)
  if (title === undefined) return undefined
  const content = (
    <>
      {api.operations.filter(inGroup(title)).map((operation) => (
        <OperationSection operation={operation} components={api.components} origin={origin} />
      ))}
    </>
  )
  return respondWithDocs(docs, { title, path: buildHref(title), reference: linksTo(api.operations), content })
}

/** Builds the sections for the docs search. */
export function buildReferenceSections({ operations, components }: DocumentedApi): readonly DocsSection[] {
  return operations.map(({ id, method, path, group, summary, parameters, body }) => ({
    href: `${buildHref(group)}#${id}`,
    guide: REFERENCE.title,
    title: `${method} ${path}`,
    text: [
      `${summary}.`,
      ...[...parameters, ...rowsIn(body?.schema, components)].map(
        ({ name, description }) => `${name}: ${description}.`,
      ),
    ].join('\n'),
  }))
}

function linksTo(operations: DocumentedApi['operations']): readonly DocsLink[] {
  return GROUP_NAMES.map((title) => ({
    title,
    href: buildHref(title),
    sections: operations
      .filter(inGroup(title))
      .map(({ id, method, path }) => ({ href: `#${id}`, title: `${method} ${path}` })),
  }))
}

const toSlug = (group: string) => group.toLowerCase().replaceAll(' ', '-')
const buildHref = (group: string) => `${REFERENCE.href}/${toSlug(group)}`
const inGroup =
  (name: string) =>
  ({ group }: DocumentedOperation) =>
    group === name
