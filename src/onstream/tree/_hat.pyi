from ._hoeffding import HoeffdingState

class AdaptiveState(HoeffdingState):
    started: int
    switched: int
    pruned: int
