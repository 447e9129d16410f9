/** One structured line in the deployment's log. */
export function log(entry: Readonly<Record<string, unknown>>): void {
  console.log(JSON.stringify(entry))
}
