/**
 * Says that somebody was let in. A request that leaves for an address that was sent is made for a tool's run or for one of
 * these, and only gates make them: a route that forgot its own has nothing to fetch with.
 */
export class Admission {
  protected readonly who: string

  constructor(who: string) {
    this.who = who
  }
}
