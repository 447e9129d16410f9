const MAX_NAME = 64

/** Gives names to inputs, one after the other; of two with the same name the later says its place as well. */
export function inputNamer(): (name: string, place: string) => string {
  const taken = new Set<string>()
  return (name, place) => {
    const plain = inputName(name)
    const candidates = [plain, `${place}_${plain}`.slice(0, MAX_NAME)]
    let free = candidates.find((each) => !taken.has(each))
    for (let count = 2; free === undefined; count++) {
      const numbered = `${place}_${plain}`.slice(0, MAX_NAME - 6) + `_${count}`
      if (!taken.has(numbered)) free = numbered
    }
    taken.add(free)
    return free
  }
}

/** A name that every model provider takes for a property: up to 64 letters, digits, dots, dashes and underscores. */
function inputName(name: string): string {
  if (/^[A-Za-z0-9_.-]{1,64}$/.test(name) && name !== '__proto__') return name
  const plain = name.replace(/[^A-Za-z0-9_.-]+/g, '_').replace(/^_+|_+$/g, '')
  return plain.slice(0, MAX_NAME) || 'input'
}
