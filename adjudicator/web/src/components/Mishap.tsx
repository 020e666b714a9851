/** Notice in place of a page that failed. */
import { Component, type ComponentChildren } from 'preact';
import { t, tx } from '../language/language';

interface Props {
  readonly children: ComponentChildren;
}

export class Mishap extends Component<Props, { failure: string | null }> {
  override state = { failure: null as string | null };

  override componentDidCatch(error: unknown): void {
    this.setState({ failure: error instanceof Error ? error.message : String(error) });
  }

  override render() {
    if (this.state.failure === null) return this.props.children;
    return (
      <p class="note" role="alert">
        {tx('This page failed ({failure}). {again}, or see {all}. The records are safe: they are kept by the server.', { failure: this.state.failure, again: <a href="">{t('Load it again')}</a>, all: <a href="/">{t('all tables')}</a> })}
      </p>
    );
  }
}
