import type { JsonObject } from '../../core/tool/json.ts'
import type { Docs } from '../../docs/docs.ts'
import { answerDocs, REFERENCE } from '../../docs/frame.tsx'
import type { DocsSection } from '../../docs/search.ts'
import { rowsOf } from '../../http/page/schema-table.tsx'
import { DataTable } from '../../http/page/table.tsx'
import { COMPONENT } from './describe.ts'
import { bodyOf, failuresIn, formsOf, groupsIn, objectsIn, operationsIn, slugOf, textOf } from './documented.ts'
import { answerRows, FIELD_COLUMNS, OperationSection } from './operation.tsx'

/** The list of all operations, whose ids lead from here to the pages of their groups. */
export function referencePage(docs: Docs, document: JsonObject): Promise<Response> {
  const operations = operationsIn(document)
  const reference = groupsIn(document)
  const content = (
    <>
      <p class="note">
        <a href="/openapi.json">OpenAPI 3.1</a>
      </p>
      {reference.map(({ href, title }) => (
        <>
          <h2 id={slugOf(title)}>
            <a href={href}>{title}</a>
          </h2>
          <ul class="list">
            {operations
              .filter(({ group }) => group === title)
              .map(({ id, method, path, summary }) => (
                <li id={id}>
                  <a href={`${href}#${id}`}>
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
      {failuresIn(document).map((name) => (
        <>
          <h3 id={name}>{name}</h3>
          <DataTable
            label={`Fields of ${name}`}
            columns={FIELD_COLUMNS}
            items={answerRows({ $ref: COMPONENT + name }, document)}
          />
        </>
      ))}
    </>
  )
  return answerDocs(docs, { title: 'API reference', path: REFERENCE.href, reference, content })
}

/** A group of operations on a page of its own; undefined where no group has that name. */
export function groupPage(
  docs: Docs,
  document: JsonObject,
  slug: string,
  origin: string,
): Promise<Response> | undefined {
  const reference = groupsIn(document)
  const path = `${REFERENCE.href}/${slug}`
  const here = reference.find(({ href }) => href === path)
  if (!here) return undefined
  const content = (
    <>
      {operationsIn(document)
        .filter(({ group }) => group === here.title)
        .map((each) => (
          <OperationSection {...each} document={document} examples={docs.reference.examples} origin={origin} />
        ))}
    </>
  )
  return answerDocs(docs, { title: here.title, path, reference, content })
}

/** For the search of the docs. */
export function referenceSections(document: JsonObject): readonly DocsSection[] {
  return operationsIn(document).map(({ id, method, path, group, summary, operation }) => ({
    href: `${REFERENCE.href}/${slugOf(group)}#${id}`,
    guide: REFERENCE.title,
    title: `${method} ${path}`,
    text: [
      `${summary}.`,
      ...objectsIn(operation.parameters).map(({ name, description }) => `${textOf(name)}: ${textOf(description)}.`),
      ...formsOf(bodyOf(operation)?.[1].schema, document)
        .flatMap(rowsOf)
        .map(({ name, description }) => `${name}: ${description}.`),
    ].join('\n'),
  }))
}
