/** Draws a component again only when one of its properties is another one. */
import { Component, type ComponentChild, h } from 'preact';

export function memo<P extends object>(draw: (props: P) => ComponentChild): (props: P) => ComponentChild {
  class Memo extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      const keys = new Set([...Object.keys(next), ...Object.keys(this.props)]) as Set<keyof P>;
      return [...keys].some((key) => next[key] !== this.props[key]);
    }
    override render(): ComponentChild {
      return draw(this.props as P);
    }
  }
  return (props: P) => h(Memo as never, props as never);
}
