"""tmp"""


def prove_property(scene, one):
    return ""
