/** What is shown in place of a page that failed: never nothing. */
import { Component, type ComponentChildren } from 'preact';

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
        This page failed ({this.state.failure}). <a href="">Load it again</a>, or see <a href="/">all tables</a>. The
        records are safe: they are kept by the server.
      </p>
    );
  }
}
