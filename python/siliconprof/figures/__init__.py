"""Drawing: the one style, and the kinds of panel that the experiments share."""
